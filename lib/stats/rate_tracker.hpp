// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "stats/control_state.hpp"
#include "stats/delivery.hpp"
#include "stats/sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Rates from successive samples. All rates are in bytes per second unless stated otherwise.
namespace softfeb::stats {

/// Counters of a sending QP, or the sums of several.
struct SendCounts {
  std::uint64_t counted_bytes = 0;          ///< bytes that Rc limits: BTH to pad, including retransmissions
  std::uint64_t payload_bytes = 0;          ///< payload sent for the first time
  std::uint64_t retransmitted = 0;          ///< packets retransmitted
  std::uint64_t cnps = 0;                   ///< CNPs received
  std::uint64_t completed = 0, failed = 0;  ///< numbers of messages
  std::uint64_t rnr_naks = 0;               ///< RNR NAKs received
  std::uint64_t timeouts = 0;

  SendCounts& operator+=(const SendCounts& o);
  SendCounts operator-(const SendCounts& o) const;
};

/// Statistics of a sending QP in an interval, or the sum over several QPs.
struct SendInterval {
  std::size_t qps = 1;
  SendCounts counts;   ///< counts in the interval
  double sent = 0;     ///< rate of SendCounts::counted_bytes
  double payload = 0;  ///< rate of SendCounts::payload_bytes
  /// Payload rate excluding packets that the network dropped. For RC, the rate of first transmissions,
  /// because lost packets are retransmitted. For UC, the rate of payload that the receiver accepted. Empty
  /// if unknown.
  std::optional<double> carried = 0;
  /// Payload rate of complete messages that reached the receiver; empty if unknown (stats/delivery.hpp).
  std::optional<double> goodput = 0;
  ControlState control;  ///< state at the end of the interval

  /// Adds `o` to the sum. `owns_control` is false if an earlier QP in the sum has the same congestion
  /// control.
  void add(const SendInterval& o, bool owns_control = true);
};

struct BoardInterval {
  /// End of the interval in seconds since traffic began. It is a whole number of nanoseconds, so files
  /// contain exactly this value. A rate times the difference of two written times is therefore the exact
  /// number of bytes.
  double at = 0;
  /// Length of the interval in seconds. The length is 0 if the snapshot is no newer than the previous
  /// snapshot. Counts and rates are then 0, and everything since the previous snapshot counts in the next
  /// interval.
  double seconds = 0;
  std::vector<SendInterval> qps;  ///< indexed like EndpointSnapshot::send_qps
  SendInterval configured;        ///< sum over the QPs of the configuration
  SendInterval all;               ///< sum over all QPs, including those of the metadata bus
  SendCounts total;               ///< sum over all QPs since traffic began
};

struct PortCounts {
  std::uint64_t wire_bytes = 0;  ///< bytes sent, including preamble, FCS and interframe gap
  std::uint64_t ecn_marked = 0, dropped = 0;
  std::uint64_t pause_tx = 0, pause_rx = 0;  ///< numbers of pause frames
  std::uint64_t cnp_forged = 0;

  PortCounts& operator+=(const PortCounts& o);
  PortCounts operator-(const PortCounts& o) const;
};

/// Statistics of a switch port in an interval.
struct PortInterval {
  std::uint64_t queue = 0;    ///< length of the queue at the end of the interval, in bytes
  std::uint64_t peak = 0;     ///< maximum length in the interval, in bytes
  std::uint64_t longest = 0;  ///< maximum length since the start, in bytes
  PortCounts counts;          ///< counts in the interval
  PortCounts total;           ///< counts since the start
  double sent = 0;            ///< rate of PortCounts::wire_bytes
  double used = 0;            ///< share of the link's rate, 0…1
  double paused_share = 0;    ///< share of the interval for which the port had frames to send but was paused
};

/// Event data of all boards and receivers in an interval.
struct EventInterval {
  /// True if a receiver of this process builds events. Otherwise, `rate`, `complete` and `incomplete` are
  /// unknown.
  bool built = false;
  double rate = 0;  ///< complete events per second
  /// Complete events; this and the next two members are counts since the start.
  std::uint64_t complete = 0;
  std::uint64_t incomplete = 0;  ///< events that closed without being complete
  std::uint64_t lost = 0;        ///< events that boards lost because they had no room, summed over the boards
  double busy_share = 0;         ///< share of the interval for which the busiest board was busy, 0…1
};

/// Traffic generators of all boards in an interval.
struct TrafficGenInterval {
  std::size_t generators = 0;
  std::size_t running = 0;  ///< generators whose burst was in progress at the end of the interval
  double packets = 0;       ///< datagrams and WRITEs per second
  double payload = 0;       ///< payload of the datagrams and WRITEs, in bytes per second
};

/// Streams of datagrams of all receivers in an interval.
struct StreamInterval {
  double datagrams = 0;       ///< datagrams appended to buffers per second
  double bytes = 0;           ///< bytes of these datagrams per second
  std::uint64_t dropped = 0;  ///< since the start: datagrams without a buffer, or longer than a buffer
};

/// Shares of a worker's time in an interval, 0…1, excluding the time for which the worker was preempted.
struct WorkerInterval {
  std::array<double, engine::kStages> stages{};
  double idle = 0;
};

/// All rates and counts for the time between the previous sample and this one. The first interval begins
/// when traffic begins.
struct RunInterval {
  Time at = 0;        ///< time of the sample (Sample::at)
  bool first = true;  ///< true for the first sample
  std::vector<BoardInterval> boards;
  SendInterval sum;                            ///< sum over the boards' `all`
  SendCounts total;                            ///< sum over the boards' `total`
  double frames = 0;                           ///< frames per second that boards and receivers sent
  double network_at = 0, network_seconds = 0;  ///< like BoardInterval::at and seconds, but for all ports
  std::vector<PortInterval> ports;      ///< indexed like NetworkSnapshot::ports; empty without a network
  PortCounts ports_total;               ///< sum over the ports' `total`
  std::optional<EventInterval> events;  ///< empty without event data
  std::optional<TrafficGenInterval> traffic_gens;  ///< empty without traffic generators
  std::optional<StreamInterval> streams;           ///< empty without streams of datagrams
  std::vector<WorkerInterval> workers;             ///< empty in virtual time
};

/// Returns, for each plan, true if the plan's QP is the first QP of its board that uses its congestion
/// control object. In a sum, the state of a shared object is then counted only once.
std::vector<bool> own_rates(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans);

/// Computes rates from the counters of successive samples. Every observer needs its own tracker, because each
/// has its own sampling times. Allocates only in the first call to add().
class RateTracker {
 public:
  /// Tracks switch ports only.
  RateTracker() = default;
  RateTracker(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans);
  /// `own_rates` contains the result of own_rates() for each board's configured QPs.
  RateTracker(DeliveryMap deliveries, std::vector<std::vector<bool>> own_rates);

  /// The result is valid until the next call.
  const RunInterval& add(const Sample& sample);

 private:
  struct QpBefore {
    SendCounts counts;
    Delivered delivered;
  };
  struct PortBefore {
    PortCounts counts;
    Time paused = 0;
    /// Largest peak of the samples since the last interval. These samples were skipped, because each of them
    /// was no newer than the sample before it.
    std::uint64_t peak = 0;
  };
  struct EndpointBefore {
    std::uint64_t ns = 0;  ///< end of the previous interval, measured from the start of traffic
    std::uint64_t frames = 0;
    engine::EventSnapshot events{};
    engine::TrafficGenCounters traffic_gen{};
    detector::StreamCounts streams{};
    std::vector<QpBefore> qps;
  };

  void add_board(std::size_t b, const Sample& sample, double seconds);
  void add_qp(std::size_t b, std::size_t qp, const Sample& sample, double seconds);
  void add_events(std::size_t e, const engine::EventSnapshot& now, double seconds);
  void add_traffic_gen(std::size_t e, const engine::EndpointSnapshot& now, double seconds);
  void add_streams(std::size_t e, const detector::StreamCounts& now, double seconds);
  void add_workers(const std::vector<dataplane::CpuTimes>& now);
  void add_network(const fabric::NetworkSnapshot& network, Time origin);
  void add_port(std::size_t p, const fabric::PortSnapshot& now, double seconds);

  DeliveryMap deliveries_;
  std::vector<std::vector<bool>> own_rates_;  ///< own_rates() of each board
  std::vector<EndpointBefore> endpoints_;     ///< indexed like Sample::endpoints
  std::vector<PortBefore> ports_;
  std::vector<dataplane::CpuTimes> workers_;
  std::uint64_t network_ns_ = 0;
  bool first_ = true;
  RunInterval interval_;
};

}  // namespace softfeb::stats
