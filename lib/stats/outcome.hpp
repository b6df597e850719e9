// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/cpu_shares.hpp"
#include "dataplane/worker_stats.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "faults/fault_rule.hpp"
#include "hosts/clock_difference.hpp"
#include "stats/delivery.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::latency {
struct StageFigures;
}

namespace softfeb::stats {

/// Goodput that a remote receiver measured.
struct ReportedGoodput {
  double seconds = 0;  ///< time from the receiver's first to its last completion
  double gbps = 0;     ///< payload rate during these seconds
};

/// Payload that a receiver with windows has received up to the time `at`.
struct GoodputMark {
  Time at = 0;
  std::uint64_t bytes = 0;  ///< payload of messages that set a bit in the bitmap of an open window
  /// Received payload of messages that were still incomplete, plus the largest payload of one packet, because
  /// part of a packet may already have been on the link.
  std::uint64_t in_progress = 0;

  /// Returns zeros for endpoints that are not receivers with windows.
  static GoodputMark of(const engine::EndpointSnapshot& s) {
    if (!s.windows) return {s.taken_at};
    std::uint32_t packet = 0;
    for (const engine::ReceiveQpSnapshot& qp : s.receive_qps) packet = std::max(packet, qp.pmtu);
    return {s.taken_at, s.windows->goodput_bytes, s.bytes_in_progress + packet};
  }
};

/// Result of writing a receiver's event file.
struct EventFileOutcome {
  std::string path;
  std::uint64_t written = 0;      ///< events written
  std::uint64_t not_written = 0;  ///< events not written
  std::uint64_t fragments = 0;    ///< fragments written
  std::uint64_t data_bytes = 0;   ///< bytes of data written
  std::uint64_t queue_peak = 0;   ///< maximum number of bytes that waited for the writing thread
  std::string error;              ///< reason why writing failed; empty if writing succeeded
};

/// Timing of one of the hosts in a run on several hosts.
struct HostOutcome {
  /// Time by which the clock of this host was ahead of the clock of process 0's host, before and after the
  /// run.
  hosts::ClockReading clock_before, clock_after;
  /// Start of the run on this host, minus the agreed start, on the clock of this host.
  std::int64_t start_error_ns = 0;
  /// Time at which this host sent its first packet, minus the agreed start, on the clock of this host. Empty
  /// if this host sent no packet.
  std::optional<std::int64_t> first_packet_ns;
};

/// Outcome of a run: its counters at the start, after the warm-up and at the end, and how it ended. Times are
/// on the clock of the run.
struct Outcome {
  Time started = 0;        ///< start of traffic
  double start_up_s = 0;   ///< time from the start of the program to the start of traffic
  Time measured_from = 0;  ///< end of the warm-up
  /// End of traffic, caused by the last message, the configured duration or a signal.
  Time stopped = 0;
  Time ended = 0;  ///< time at which all outstanding requests had completed or been flushed
  bool interrupted = false;
  bool flushed = false;  ///< true if requests were still outstanding after the drain timeout
  /// True if the run ended before the warm-up did. The results then cover the whole run.
  bool ended_in_warmup = false;
  std::vector<engine::EndpointSnapshot> baseline;  ///< counters at measured_from; empty without warm-up
  std::vector<engine::EndpointSnapshot> final;     ///< counters at the end
  /// Start and end of the interval in which each receiver with windows measures goodput; set only in real
  /// time. If these members are empty, the interval is the measured time of the run.
  std::vector<GoodputMark> goodput_from, goodput_to;
  /// Counters of the network at the end; empty without switches in this process.
  std::optional<fabric::NetworkSnapshot> network;
  dataplane::WorkerStats totals;
  std::vector<dataplane::WorkerStats> workers;
  /// How each worker spent the measured time, until traffic ended; empty in virtual time.
  std::vector<dataplane::CpuShares> cpu;
  std::uint64_t control_unserved = 0;
  /// Counters of each board's slow control; null for a board without slow control.
  std::vector<nlohmann::ordered_json> control;
  /// Indexed like RunConfig::changes. An element is 1 if the change was applied; 0 if the run ended first.
  std::vector<std::uint8_t> changes_made;
  /// Times that messages took from one stage of their path to another; null if not recorded. Valid as long as
  /// the run's driver exists.
  const latency::StageFigures* stages = nullptr;
  /// Indexed like RunConfig::receivers; nullopt for receivers without an event file. Empty if there are no
  /// event files.
  std::vector<std::optional<EventFileOutcome>> event_files;
  /// Counters of the fault rules, by port and rule. Empty in virtual time, which has no ports.
  std::vector<std::vector<faults::RuleCounters>> fault_rules;
  std::vector<HostOutcome> hosts;         ///< indexed like RunConfig::hosts; empty if there is only one host
  std::vector<std::size_t> worker_hosts;  ///< with `hosts`: the host of each element of `workers`
  /// With `hosts`, the results of the ports, indexed like RunConfig::ports. An element is null if its port is
  /// in this process.
  std::vector<nlohmann::ordered_json> ports;
  /// Maps sending QPs to their receiving QPs in this process. With UC, the sender gets no acknowledgements,
  /// so the receiving QP counts the delivered payload.
  DeliveryMap deliveries;
  /// Reports of remote receivers, by board and QP of the board (endpoints::QpPlan).
  std::map<std::pair<std::size_t, std::size_t>, ReportedGoodput> reported;
};

}  // namespace softfeb::stats
