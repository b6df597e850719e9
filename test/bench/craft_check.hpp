// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

/// Describes failures in the result of bench_craft(). The text is empty if no board refused a frame and no
/// message failed. (The speed of a board that loses messages is meaningless.) The object `totals` of the main
/// board is a member of `result`. The object `totals` of a reference board is a member of the object that
/// describes this board.
inline std::string craft_failure(const nlohmann::ordered_json& result) {
  const auto wrong = [](const nlohmann::ordered_json& board) {
    const auto& totals = board.at("totals");
    return totals.at("refused") != 0 || totals.at("failed") != 0;
  };
  constexpr const char* kWhat =
      "packets were refused or messages failed: the figures are of another thing "
      "than they say";
  if (wrong(result)) return kWhat;
  for (const auto& [name, beside] : result.items()) {
    if (beside.is_object() && beside.contains("totals") && wrong(beside)) return name + ": " + kWhat;
  }
  return {};
}

}  // namespace softfeb::bench
