// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/result.hpp"
#include "conformance/traffic_spec.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// The CNPs that a sender has received.
struct CnpTimes {
  std::uint64_t count = 0;
  Time latest = 0;
  Time shortest = kNever;  ///< shortest time between successive CNPs; kNever if there were fewer than two
  Time longest = 0;        ///< longest time between successive CNPs; 0 if there were fewer than two

  void add(Time now) {
    if (count++ != 0) {
      shortest = std::min(shortest, now - latest);
      longest = std::max(longest, now - latest);
    }
    latest = now;
  }
};

/// Results of one queue pair in a traffic run.
struct TrafficQpStats {
  std::uint32_t address = 0;  ///< index of the board's address that the queue pair uses
  bool clean = false;
  std::uint64_t bytes = 0;     ///< payload bytes of completed messages
  std::uint64_t messages = 0;  ///< number of completed messages
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t naks = 0;  ///< number of NAKs 0x60 from the target
  Time last_completed = 0;
  bool failed = false;  ///< the queue pair is in the error state
  CnpTimes cnps;
};

/// Results of a traffic run.
struct TrafficStats {
  std::vector<TrafficQpStats> qps;
  Time began = 0;
  CnpTimes cnps;                  ///< times of the CNPs of all queue pairs together
  std::uint64_t marked = 0;       ///< number of packets that were sent with ECN CE
  std::uint64_t rnr_naks = 0;     ///< number of RNR NAKs from the target
  std::uint64_t icrc_errors = 0;  ///< number of packets that were sent with a wrong iCRC
  /// Numbers of requests that reach the target out of sequence or as duplicates, if the order in which they
  /// were sent is kept.
  std::uint64_t out_of_sequence = 0, duplicates = 0;
  /// Goodput of the clean queue pair when it ran alone, in bytes per second; empty if it did not run alone.
  std::optional<double> alone;

  std::uint64_t naks() const;      ///< NAKs 0x60 of all queue pairs except the clean one
  std::uint64_t timeouts() const;  ///< timeouts of all queue pairs except the clean one
  double goodput() const;          ///< goodput of all queue pairs except the clean one, in bytes per second
  double clean_goodput() const;    ///< goodput of the clean queue pair, in bytes per second
};

/// Returns the increase of one of the target's counters that follows from the packets on the wire, or
/// std::nullopt if the counter is unknown.
std::optional<std::uint64_t> counter_of_wire(const TrafficStats& stats, std::string_view name);

/// Returns the figures that `spec` requests.
std::vector<Figure> figures_of(const TrafficSpec& spec, const TrafficStats& stats);

}  // namespace softfeb::conformance
