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
  kFailed,   ///< not everything arrived
};

/// Returns the indices of the QPs to list, ascending. Returns all if there are at most `limit` (empty:
/// unlimited); otherwise at most `limit` of those that need attention, preferring failed ones.
std::vector<std::size_t> listed_qps(const std::vector<Attention>& qps, std::optional<std::uint32_t> limit);

/// {"qps", "qps_listed", "qps_failed", "qps_in_trouble"}
nlohmann::ordered_json qp_numbers(const std::vector<Attention>& qps, std::size_t listed);

/// {"qps", "min", "p50", "mean", "max"} of `values`, which has an element for each QP with a value; null if
/// it is empty. p50 is the median; for an even number of values, the lower of the two middle ones.
nlohmann::ordered_json spread(std::vector<double> values);

}  // namespace softfeb::report
