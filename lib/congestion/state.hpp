// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::congestion {

/// State reported to telemetry. Optional members are set by the algorithms that have such a quantity.
struct CongestionState {
  std::uint64_t rate = 0;         ///< Rc, bytes per second; of a pure window algorithm, its window per RTT
  std::uint64_t target_rate = 0;  ///< Rt; equals `rate` if the algorithm has no target rate
  std::uint32_t alpha = 0;        ///< in units of 1 / `alpha_one`; 0 if the algorithm has no alpha
  std::uint32_t alpha_one = 1;
  std::uint32_t stage = 0;    ///< increases since the last CNP or decrease
  std::uint64_t cnps = 0;     ///< number of CNPs (16 bits in the firmware)
  std::int64_t credit = 0;    ///< bytes of the token bucket that may be sent immediately
  std::uint64_t spilled = 0;  ///< bytes of credit lost because the bucket was full

  std::optional<double> window;          ///< counted bytes that may be in flight
  std::optional<Time> rtt;               ///< last RTT sample
  std::optional<Time> target_delay;      ///< Swift: target of the fabric delay
  std::optional<double> utilization;     ///< HPCC: U, the normalized load of the bottleneck
  std::optional<std::uint64_t> granted;  ///< Homa: packets that may leave on the receiver's credit
};

}  // namespace softfeb::congestion
