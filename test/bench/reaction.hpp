// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rig.hpp"
#include "statistics.hpp"

namespace softfeb::bench {

struct ReactionOptions {
  bool ring = true;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t packets = 16;  ///< of a message, 4096 bytes each
  Time duration = kSecond;     ///< of each run
  unsigned runs = 3;
};

/// How soon a CNP acts: (a) from rx_burst to the congestion control that knows it, and (b) departures against
/// those a model predicts, both for the firmware's profile under a load of 10 Gb/s; (c) from the ring to the
/// first packet at the new spacing, for the paper's profile at 100 Gb/s. doc/pacing.md.
Json bench_reaction(const Environment& environment, const ReactionOptions& options);

}  // namespace softfeb::bench
