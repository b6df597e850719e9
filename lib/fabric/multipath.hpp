// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "fabric/config.hpp"
#include "fabric/frame.hpp"
#include "fabric/snapshot.hpp"
#include "fabric/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// The next hops of all switches in a network with several paths between two nodes. A port of a switch is a
/// next hop to a station if it is on a path with the fewest links to this station. Rates and delays of links
/// do not matter. The next hops from a switch to a station form a set, whose ports are in ascending order.
class Multipath {
 public:
  /// Requires NetworkConfig::multipath.
  Multipath(const NetworkConfig& config, const Topology& topology);

  /// Chooses the egress port for a frame in switch `sw` with a station as its destination. Returns
  /// Topology::kNoPort if there is no path. Counts the frame if there was more than one next hop.
  std::uint16_t choose(std::uint32_t sw, const Frame& frame);

  /// Fills `out` with the counters of all sets that have at least two ports.
  void read(std::vector<NextHopSnapshot>& out) const;

 private:
  static constexpr std::uint32_t kNoSet = UINT32_MAX;

  /// A set of next hops; the members are consecutive elements of members_.
  struct Set {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t next = 0;  ///< for kRoundRobin: index of the next member in the set
  };
  struct Member {
    std::uint32_t switch_index = 0;
    std::uint16_t port = 0;
    std::uint32_t link = 0;
    std::uint64_t packets = 0, wire_bytes = 0;
  };
  struct Chooser {
    MultipathConfig config;
    std::uint64_t seed = 0;  ///< seed of the hash
    Rng random;
  };

  std::uint32_t add_set(const Topology& topology, std::uint32_t sw, const std::vector<std::uint16_t>& ports);
  static std::uint32_t index_in(Set& set, Chooser& chooser, const Frame& frame);

  std::vector<Chooser> choosers_;  ///< indexed by switch
  /// Index of the set, by [switch][station]; kNoSet if there is no path.
  std::vector<std::vector<std::uint32_t>> set_of_;
  std::vector<Set> sets_;
  std::vector<Member> members_;
};

}  // namespace softfeb::fabric
