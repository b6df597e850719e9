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
  Time shortest = kNever;  ///< shortest and longest time between two of them
  Time longest = 0;

  void add(Time now) {
    if (count++ != 0) {
      shortest = std::min(shortest, now - latest);
      longest = std::max(longest, now - latest);
    }
    latest = now;
  }
};

/// What one queue pair of the ordinary sender has done.
struct TrafficQpStats {
  std::uint32_t address = 0;  ///< which of the board's addresses it uses
  bool clean = false;
  std::uint64_t bytes = 0;     ///< payload of completed messages
  std::uint64_t messages = 0;  ///< completed
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t naks = 0;  ///< NAKs 0x60 from the target
  Time last_completed = 0;
  bool failed = false;  ///< it is in the error state
  CnpTimes cnps;
};

/// What a run of the ordinary sender has measured.
struct TrafficStats {
  std::vector<TrafficQpStats> qps;
  Time began = 0;
  CnpTimes cnps;                                      ///< of all queue pairs together
  std::uint64_t marked = 0;                           ///< packets that were sent with ECN CE
  std::uint64_t rnr_naks = 0;                         ///< from the target
  std::uint64_t icrc_errors = 0;                      ///< packets that were sent with a wrong iCRC
  std::uint64_t out_of_sequence = 0, duplicates = 0;  ///< requests, in the order in which they were sent
  /// Goodput of the clean queue pair when it ran alone, in bytes per second; none: it did not.
  std::optional<double> alone;

  std::uint64_t naks() const;      ///< of all queue pairs but the clean one
  std::uint64_t timeouts() const;  ///< likewise
  double goodput() const;          ///< of all queue pairs but the clean one, in bytes per second
  double clean_goodput() const;    ///< in bytes per second
};

/// The increase of a counter of the target that the packets on the wire explain; none: unknown counter.
std::optional<std::uint64_t> counter_of_wire(const TrafficStats& stats, std::string_view name);

/// The figures that `spec` asks for.
std::vector<Figure> figures_of(const TrafficSpec& spec, const TrafficStats& stats);

}  // namespace softfeb::conformance
