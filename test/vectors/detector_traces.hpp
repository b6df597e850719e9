// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/vector_files.hpp"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// The golden traces of vectors/detector: triggers, events, receiver registration and UC windows, recorded
/// from reference models. Each file is one JSON object with `kind`, `name`, `config`, and the input and
/// output of its kind.
namespace softfeb::test {

/// All traces of this kind, in the order of their file names.
inline std::vector<nlohmann::json> detector_traces(std::string_view kind) {
  std::vector<nlohmann::json> out;
  for (const auto& path : vector_files("detector", ".json", Depth::kRecursive)) {
    std::ifstream in(path);
    nlohmann::json trace = nlohmann::json::parse(in);
    if (trace.at("kind") == kind) out.push_back(std::move(trace));
  }
  return out;
}

/// A bitmap as in the traces: "0x3". Word 0 holds the first 64 bits.
template <typename Words>
std::string hex_bitmap(const Words& words) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t w = words.size(); w-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      const char digit = kDigits[(words[w] >> shift) & 0xf];
      if (digit != '0' || !out.empty()) out.push_back(digit);
    }
  }
  return "0x" + (out.empty() ? "0" : out);
}

}  // namespace softfeb::test
