// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::congestion {

/// Parameters of HPCC (Li et al., SIGCOMM 2019). The source of each default is "paper", "simulator" (the
/// authors', for ns-3), or "ours".
struct HpccParameters {
  /// Of the sender's link, in counted bytes per second; the largest window is line_rate · base_rtt.
  std::uint64_t line_rate = 1'250'000'000;
  std::uint64_t min_rate = 1'250'000;  ///< at least 1; the smallest window is min_rate · base_rtt (ours)
  Time base_rtt = 13 * kMicrosecond;   ///< T, slightly above the longest RTT without queues (paper)
  double eta = 0.95;                   ///< target utilization, above 0 (paper, section 5.1)
  std::uint32_t max_stage = 5;         ///< additive steps before a multiplicative one (paper, 5.1)
  /// Additive step, bytes. The paper's formula is line_rate · base_rtt · (1 - eta) / flows; 80 bytes are
  /// 50 Mb/s at the base RTT (simulator).
  double w_ai = 80;
  double initial_u = 1;  ///< U before the first measurement (simulator)
  /// Records older than this are not compared with new ones, because the 24-bit time of a record wraps after
  /// twice as long (ours).
  Time stale_after = 8 * kMillisecond;

  bool operator==(const HpccParameters&) const = default;
};

}  // namespace softfeb::congestion
