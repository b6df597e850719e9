// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "stats/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

namespace softfeb::stats {

/// Rates of one sending QP in the measured time. Goodput counts payload that the receiver accepted. For RC,
/// the sender's completions count this payload; for UC, the receiver counts it.
struct QpRates {
  Time from = 0, to = 0;  ///< interval of the goodput, on the run's clock; not measured if `to` ≤ `from`
  double seconds = 0;     ///< length of the interval, or the length that a remote receiver reported
  /// Payload of messages that the receiver accepted in the interval; empty if unknown (UC to a remote
  /// receiver that does not report it).
  std::optional<std::uint64_t> payload_bytes = 0;
  std::optional<double> goodput_gbps = 0;
  /// True if the goodput comes from a remote receiver. `from` and `to` are then not the bounds of the
  /// interval that the receiver measured.
  bool reported = false;
  /// The next two members are set for UC after a warm-up. `receiver` is an index into Sample::endpoints. When
  /// the measured time begins, part of a packet may already have been sent on the receiver's link.
  /// `bytes_on_link` is the largest payload that this packet may have; `payload_bytes` includes this payload.
  std::optional<std::size_t> receiver;
  std::uint64_t bytes_on_link = 0;
  /// Rate of payload sent for the first time, until the sender's last completion.
  double tx_payload_gbps = 0;
  std::optional<double> offered_gbps;  ///< requested payload rate; empty for "max"
  std::optional<double> rate_error;    ///< tx_payload_gbps / offered_gbps - 1
};

/// Requested payload rate of a queue pair; empty for "max".
std::optional<double> offered_gbps(const config::QpConfig& qp);

QpRates rates_of(const endpoints::QpPlan& plan, const Outcome& outcome);
/// Rates of any QP of a board, including those of the metadata bus. `offered_gbps` and `rate_error` are not
/// set.
QpRates rates_of(std::size_t board, std::size_t qp, const Outcome& outcome);

/// Goodput of several queue pairs together, in Gb/s: the payload of all queue pairs, divided by the time from
/// the start of the first queue pair to the end of the last. This value never exceeds the rate on the wire.
/// The sum of the queue pairs' own rates, in contrast, would be too high if each queue pair sent only a few
/// messages and the queue pairs sent one after another. Remote receivers have their own clocks, so the rates
/// that they report are added to the result.
class GoodputTotal {
 public:
  void add(const QpRates& qp);
  /// Adds a rate that a receiver has measured. `gbps` is empty if the rate is unknown.
  void add(const std::optional<double>& gbps);
  /// Empty if any term is unknown.
  std::optional<double> gbps() const;

 private:
  bool known_ = true;
  Time from_ = kNever, to_ = 0;
  std::uint64_t bytes_ = 0;
  /// For each receiver, the largest QpRates::bytes_on_link of its queue pairs. Only the largest value
  /// matters, because only one packet at a time is on a link. The total does not count these bytes.
  std::map<std::size_t, std::uint64_t> on_link_;
  double measured_gbps_ = 0;
};

/// Goodput of all queue pairs that send to a receiver of this process. For a receiver with windows, this is
/// window_goodput_gbps().
std::optional<double> receiver_goodput_gbps(const config::RunConfig& config, const Outcome& outcome,
                                            std::size_t receiver);

/// Goodput of a receiver's streams of datagrams in Gb/s: the bytes that were appended to buffers, divided by
/// the time from the start of the measured time to the last datagram. Empty if no datagram arrived in the
/// measured time.
std::optional<double> stream_goodput_gbps(const Outcome& outcome, std::size_t boards, std::size_t receiver);

/// Goodput of all boards together: the sum of the goodput of receivers with windows, the goodput of streams
/// of datagrams, and the total of all other queue pairs.
std::optional<double> total_goodput_gbps(const config::RunConfig& config, const Outcome& outcome);

/// Length of the measured time in seconds: from the end of the warm-up to the last completion, or to the
/// last UC message that a receiver of this process accepted. If all queue pairs were created over metadata
/// buses, the measured time begins with their first completion.
double measured_seconds(const endpoints::Plans& plans, const Outcome& outcome);

/// Adds `goodput_gbps`, `tx_payload_gbps`, `measured_s` and `measured_payload_bytes` to an element of
/// `boards[].qps[]`.
void add_rates(nlohmann::ordered_json& qp, const QpRates& rates);

/// Share of the time, 0 to 1, for which the most preempted worker was preempted. Preemption lowers rates.
double preempted_share(const Outcome& o);

}  // namespace softfeb::stats
