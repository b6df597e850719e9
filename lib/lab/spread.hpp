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
  /// In units of 1 / kWhole. jain: Jain's index of the bytes of the ports. max_mean: bytes of the busiest
  /// port, divided by the mean of all ports. Empty if the set carried nothing.
  std::optional<Share> jain, max_mean;
};

/// Returns the spread over each set of next hops of a network, in the order of NetworkSnapshot::next_hops.
std::vector<Spread> spreads_of(const fabric::NetworkSnapshot& network);

/// The spread with the smallest Jain index; null if there is none. Ignores sets that carried less than a
/// hundredth of the bytes of the busiest set.
const Spread* worst_spread(const std::vector<Spread>& spreads);

}  // namespace softfeb::lab
