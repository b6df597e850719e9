// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/snapshot.hpp"
#include "lab/fairness.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::lab {

/// How a switch spread frames over one set of equal-cost ports.
struct Spread {
  std::vector<fabric::NextHopSnapshot> ports;  ///< at least two
  std::uint64_t wire_bytes = 0;                ///< sum over the ports
  /// Both members are in units of 1 / kWhole, and empty if the set carried nothing. `jain` is Jain's index of
  /// the bytes of the ports. `max_mean` is the number of bytes of the busiest port, divided by the mean of
  /// all ports.
  std::optional<Share> jain, max_mean;
};

/// Returns the spread over each set of next hops of a network, in the order of NetworkSnapshot::next_hops.
std::vector<Spread> spreads_of(const fabric::NetworkSnapshot& network);

/// Returns the spread with the smallest Jain index; null if there is none. Ignores sets that carried less
/// than a hundredth of the bytes of the busiest set.
const Spread* worst_spread(const std::vector<Spread>& spreads);

}  // namespace softfeb::lab
