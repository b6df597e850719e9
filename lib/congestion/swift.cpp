// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/swift.hpp"

#include <cmath>

namespace softfeb::congestion {

namespace {

double bounded_cwnd(double cwnd, const SwiftParameters& p) {
  return std::min(std::max(cwnd, p.min_cwnd), p.max_cwnd);
}

}  // namespace

Swift::Swift(const SwiftParameters& parameters)
    : CongestionControl(kOnAck | kOnNak | kWindow),
      fabric_{bounded_cwnd(parameters.initial_cwnd, parameters)},
      endpoint_{parameters.max_cwnd},
      rtt_(parameters.base_target),
      parameters_(parameters) {
  static_assert(sizeof(Swift) <= 256, "memory of a queue pair");
  scale_flows();
}

void Swift::scale_flows() {
  const SwiftParameters& p = parameters_;
  fs_alpha_ = static_cast<double>(p.fs_range) / (1 / std::sqrt(p.fs_min_cwnd) - 1 / std::sqrt(p.fs_max_cwnd));
  fs_offset_ = -fs_alpha_ / std::sqrt(p.fs_max_cwnd);
  target_ = target_for(p.hops);
}

double Swift::target_for(std::uint8_t hops) const {
  const SwiftParameters& p = parameters_;
  const double scaled = fs_alpha_ / std::sqrt(fabric_.cwnd) + fs_offset_;
  return static_cast<double>(p.base_target + hops * p.hop_delay) +
         std::max(0.0, std::min(scaled, static_cast<double>(p.fs_range)));
}

std::uint64_t Swift::find_window() const {
  // Rounding up does not change when packets may leave, because the number of bytes in flight is an integer.
  return static_cast<std::uint64_t>(std::ceil(std::min(window_bytes(), 1e18)));
}

CongestionControl::Departure Swift::find_departure(std::uint32_t, Time) {
  const double delay = pacing_delay();
  if (delay == 0 || last_sent_ == kNever) return {0, true};
  return {saturating_add(last_sent_, static_cast<Time>(std::ceil(std::min(delay, 1e18)))), true};
}

void Swift::on_ack(const Ack& ack, Time now) {
  const SwiftParameters& p = parameters_;
  if (ack.packets > 0) timeouts_ = 0;
  if (!ack.sent_at) return;
  rtt_ = ack.rtt(now);
  sampled_ = true;
  const Time remote = std::min(ack.remote_delay, rtt_);
  target_ = target_for(ack.hops.value_or(p.hops));
  follow(fabric_, static_cast<double>(rtt_ - remote), target_, ack, now);
  if (p.endpoint_target == 0) return;
  const auto newest = static_cast<double>(remote);
  endpoint_delay_ =
      endpoint_delay_ < 0 ? newest : (1 - p.endpoint_gain) * endpoint_delay_ + p.endpoint_gain * newest;
  follow(endpoint_, endpoint_delay_, static_cast<double>(p.endpoint_target), ack, now);
}

/// Applies algorithm 1, that is, additive increase if the delay is below the target, otherwise at most one
/// multiplicative decrease per RTT.
void Swift::follow(Window& window, double delay, double target, const Ack& ack, Time now) {
  const SwiftParameters& p = parameters_;
  const double packets = ack.packets;
  if (delay < target) {
    const auto in_flight = static_cast<double>(ack.in_flight_before());
    if (p.limited_factor != 0 && window.cwnd >= p.limited_factor * in_flight) return;
    const double grown =
        window.cwnd >= 1 ? window.cwnd + p.ai / window.cwnd * packets : window.cwnd + p.ai * packets;
    set_cwnd(window, grown, now);
  } else if (may_decrease(window, now)) {
    const double excess = delay > 0 ? (delay - target) / delay : 0;
    set_cwnd(window, std::max(1 - p.beta * excess, 1 - p.max_mdf) * window.cwnd, now);
  }
}

bool Swift::may_decrease(const Window& window, Time now) const {
  return window.last_decrease == kNever || now - window.last_decrease >= rtt_;
}

void Swift::set_cwnd(Window& window, double cwnd, Time now) {
  const double before = window.cwnd;
  window.cwnd = bounded_cwnd(cwnd, parameters_);
  // Record the time only if the window has become smaller. The paper records it even if the window stays the
  // same. While the window is at its lower bound, this would set the time of the last decrease again and
  // again, and thus delay the first real decrease afterwards.
  if (window.cwnd < before) window.last_decrease = now;
}

/// Decreases the window as in the paper's fast recovery.
void Swift::decrease_for_loss(Time now) {
  if (may_decrease(fabric_, now)) set_cwnd(fabric_, (1 - parameters_.max_mdf) * fabric_.cwnd, now);
}

void Swift::on_nak(Nak nak, Time now) {
  if (nak == Nak::kSequence) {
    timeouts_ = 0;
    decrease_for_loss(now);
  } else if (nak == Nak::kTimeout) {
    if (++timeouts_ >= parameters_.retx_reset_threshold) {
      set_cwnd(fabric_, parameters_.min_cwnd, now);
    } else {
      decrease_for_loss(now);
    }
  }
}

void Swift::set_parameters(const SwiftParameters& parameters, Time) {
  forget();
  if (parameters.endpoint_target == 0) endpoint_delay_ = -1;
  parameters_ = parameters;
  if (!sampled_) rtt_ = parameters.base_target;
  fabric_.cwnd = bounded_cwnd(fabric_.cwnd, parameters);
  endpoint_.cwnd =
      parameters.endpoint_target == 0 ? parameters.max_cwnd : bounded_cwnd(endpoint_.cwnd, parameters);
  scale_flows();
}

CongestionState Swift::state(Time) const {
  const double per_rtt = cwnd() * parameters_.packet / (static_cast<double>(std::max<Time>(rtt_, 1)) * 1e-12);
  const auto rate = static_cast<std::uint64_t>(std::min(per_rtt, 1e18));
  CongestionState state{.rate = rate,
                        .target_rate = rate,
                        .window = window_bytes(),
                        .target_delay = static_cast<Time>(std::llround(target_))};
  if (sampled_) state.rtt = rtt_;
  return state;
}

}  // namespace softfeb::congestion
