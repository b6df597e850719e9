// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::congestion {

/// Parameters of Swift (Kumar et al., SIGCOMM 2020). Windows are in packets. The source of each default is
/// "paper", "htsim" (the simulator of NDP and EQDS, whose values are not published elsewhere), or "ours".
struct SwiftParameters {
  std::uint32_t packet = 4108;             ///< counted bytes of a full packet, at least 1 (ours)
  std::uint8_t hops = 1;                   ///< used if the acknowledgement carries no hop count (ours)
  Time base_target = 25 * kMicrosecond;    ///< target of the fabric delay without scaling (ours)
  Time hop_delay = 1 * kMicrosecond;       ///< added to the target per switch on the path (ours)
  Time fs_range = 100 * kMicrosecond;      ///< the most that flow scaling adds to the target (ours)
  double fs_min_cwnd = 0.1;                ///< at and below this window it adds fs_range; above 0 (htsim)
  double fs_max_cwnd = 100;                ///< at and above this one, nothing; above fs_min_cwnd (htsim)
  double ai = 1;                           ///< additive increase, packets per round trip (htsim)
  double beta = 0.8;                       ///< decrease per relative excess of the delay, 0–1 (htsim)
  double max_mdf = 0.5;                    ///< largest relative decrease, 0–1 (htsim)
  double min_cwnd = 0.001;                 ///< above 0 (paper)
  double max_cwnd = 1000;                  ///< at least min_cwnd (ours)
  double initial_cwnd = 8;                 ///< (ours)
  Time endpoint_target = 0;                ///< target of the remote delay; 0: no endpoint window (ours)
  double endpoint_gain = 1;                ///< weight of the newest remote delay, 0–1; 1: no average (ours)
  std::uint32_t retx_reset_threshold = 5;  ///< timeouts in a row that reset to min_cwnd (htsim)
  /// A window of at least this many times the packets in flight does not grow, because the link or the
  /// application limits the sender. 0: it always grows (ours).
  double limited_factor = 2;

  bool operator==(const SwiftParameters&) const = default;
};

}  // namespace softfeb::congestion
