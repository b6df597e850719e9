// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rig.hpp"
#include "statistics.hpp"

namespace softfeb::bench {

struct ReactionOptions {
  bool ring = true;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t packets = 16;  ///< per message, 4096 bytes each
  Time duration = kSecond;     ///< per run
  unsigned runs = 3;
};

/// How fast a CNP takes effect: (a) from rx_burst to the congestion control, and (b) departures compared with
/// a model, both for the firmware's profile under a load of 10 Gb/s; (c) from the ring to the first packet
/// with the new spacing, for the paper's profile at 100 Gb/s. See doc/pacing.md.
Json bench_reaction(const Environment& environment, const ReactionOptions& options);

}  // namespace softfeb::bench
