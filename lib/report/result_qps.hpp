// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

/// Selects the queue pairs of a board or receiver that the result lists, and summarises all of them
/// (doc/result.md).
namespace softfeb::report {

/// Whether a queue pair needs the user's attention.
enum class Attention : std::uint8_t {
  kNone,
  kTrouble,  ///< something was lost or refused, but recovered
  kFailed,   ///< messages are missing or wrong
};

/// Returns the indices of the QPs to list, ascending. If `limit` is empty or there are at most `limit` QPs,
/// these are all QPs. Otherwise, these are at most `limit` QPs that need attention; failed QPs are selected
/// first.
std::vector<std::size_t> listed_qps(const std::vector<Attention>& qps, std::optional<std::uint32_t> limit);

/// Returns {"qps", "qps_listed", "qps_failed", "qps_in_trouble"}.
nlohmann::ordered_json qp_numbers(const std::vector<Attention>& qps, std::size_t listed);

/// Returns {"qps", "min", "p50", "mean", "max"} of `values`, which contains one value for each QP that has a
/// value; null if `values` is empty. p50 is the median; for an even number of values, the lower of the two
/// middle values.
nlohmann::ordered_json spread(std::vector<double> values);

}  // namespace softfeb::report
