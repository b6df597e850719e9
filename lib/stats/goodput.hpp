// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "stats/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

namespace softfeb::stats {

/// Rates of one sending QP in the measured time. Goodput counts payload that the receiver accepted: the
/// sender's completions count it for RC, the receiver counts it for UC.
struct QpRates {
  Time from = 0, to = 0;  ///< when goodput was measured, by the run's clock; `to` ≤ `from`: not at all
  double seconds = 0;     ///< its length, or what a receiver elsewhere measured
  /// Payload of messages that the receiver took in that time; none where it is not known (UC, and the
  /// receiver is elsewhere and does not report it).
  std::optional<std::uint64_t> payload_bytes = 0;
  std::optional<double> goodput_gbps = 0;
  double tx_payload_gbps = 0;          ///< payload of first transmissions, in the sender's measured time
  std::optional<double> offered_gbps;  ///< payload rate asked for; none when it is "max"
  std::optional<double> rate_error;    ///< tx_payload_gbps / offered_gbps - 1
};

/// Payload rate that a queue pair is asked for; none when it is "max".
std::optional<double> offered_gbps(const config::QpConfig& qp);

QpRates figures_of(const endpoints::QpPlan& plan, const Outcome& outcome);
/// Of any QP of a board, those of the metadata bus included; without what was asked for.
QpRates figures_of(std::size_t board, std::size_t qp, const Outcome& outcome);

/// Seconds of the measured time: from the end of the warm-up to the last completion, or the last message that
/// a receiver of ours took by UC. Where all queue pairs came over metadata buses, it begins with their first
/// completion.
double measured_seconds(const endpoints::Plans& plans, const Outcome& outcome);

/// Adds `goodput_gbps`, `tx_payload_gbps`, `measured_s` and `measured_payload_bytes` to an element of
/// `boards[].qps[]`.
void add_rates(nlohmann::ordered_json& qp, const QpRates& figures);

/// A sum of figures some of which may not be known; then it is not known either.
class GoodputSum {
 public:
  void add(const std::optional<double>& gbps) {
    sum_ = sum_ && gbps ? std::optional(*sum_ + *gbps) : std::nullopt;
  }
  const std::optional<double>& gbps() const { return sum_; }

 private:
  std::optional<double> sum_ = 0;
};

/// Share of the time, 0 to 1, for which the worst worker was preempted. Rates suffer by it.
double preempted_share(const Outcome& o);

}  // namespace softfeb::stats
