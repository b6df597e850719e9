// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

/// Which queue pairs of a board or receiver stand in the result, and what stands there of all of them
/// (doc/result.md).
namespace softfeb::report {

/// Whether somebody should look at a queue pair.
enum class Attention : std::uint8_t {
  kNone,
  kTrouble,  ///< something was lost or refused, and mended
  kFailed,   ///< not everything arrived
};

/// Numbers of those to list, in their order. All, where there are at most `limit` of them (none: no limit);
/// else at most `limit` that need attention, before others those that failed.
std::vector<std::size_t> listed_qps(const std::vector<Attention>& qps, std::optional<std::uint32_t> limit);

/// {"qps", "qps_listed", "qps_failed", "qps_in_trouble"}
nlohmann::ordered_json qp_numbers(const std::vector<Attention>& qps, std::size_t listed);

/// {"qps", "min", "p50", "mean", "max"} of those that have a value; null where none has. p50 is the median,
/// of an even number the lower of the two in the middle.
nlohmann::ordered_json spread(std::vector<double> values);

}  // namespace softfeb::report
