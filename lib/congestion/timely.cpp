// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/timely.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::congestion {

namespace {

double bounded(double rate, const TimelyParameters& p) {
  return std::min(std::max(rate, static_cast<double>(p.min_rate)), static_cast<double>(p.line_rate));
}

}  // namespace

Timely::Timely(const TimelyParameters& parameters)
    : CongestionControl(kOnAck | kOnNak),
      pacer_(bounded(static_cast<double>(parameters.initial_rate), parameters)),
      parameters_(parameters) {
  static_assert(sizeof(Timely) <= 256, "memory of a queue pair");
}

CongestionControl::Departure Timely::find_departure(std::uint32_t, Time) {
  return {pacer_.departure(), true};
}

CongestionControl::Departure Timely::on_sent_then_departure(std::uint32_t bytes, std::uint32_t, Time now) {
  pacer_.sent(bytes, now);
  return {pacer_.departure(), true};
}

void Timely::on_ack(const Ack& ack, Time now) {
  if (!ack.sent_at) return;
  if (last_sample_ != kNever && now - last_sample_ < parameters_.update_interval) return;
  const Time rtt = ack.rtt(now, parameters_.rtt_offset);
  smooth(rtt, now);
  set_rate(next_rate(rtt), now);
}

/// Updates the RTT difference and its gradient with a new sample.
void Timely::smooth(Time rtt, Time now) {
  const TimelyParameters& p = parameters_;
  if (last_sample_ == kNever || now - last_sample_ > p.idle_reset) {
    rtt_difference_ = 0;
    falling_ = 0;
  } else {
    const double newest = static_cast<double>(static_cast<std::int64_t>(rtt - rtt_));
    rtt_difference_ = (1 - p.alpha) * rtt_difference_ + p.alpha * newest;
    // Treat a difference below the clock's resolution as 0. Otherwise the gradient would stay positive for
    // hundreds of equal RTTs, and the rate would not rise meanwhile.
    if (std::abs(rtt_difference_) < 1) rtt_difference_ = 0;
  }
  rtt_ = rtt;
  last_sample_ = now;
  gradient_ = rtt_difference_ / static_cast<double>(p.min_rtt);
  falling_ = gradient_ < 0 ? falling_ + 1 : 0;
}

double Timely::next_rate(Time rtt) const {
  const TimelyParameters& p = parameters_;
  if (rtt < p.t_low) return rate() + static_cast<double>(p.delta);
  if (rtt > p.t_high)
    return reduced(1 - p.beta * (1 - static_cast<double>(p.t_high) / static_cast<double>(rtt)));
  return rate_between_thresholds(rtt);
}

double Timely::rate_between_thresholds(Time rtt) const {
  const TimelyParameters& p = parameters_;
  const auto delta = static_cast<double>(p.delta);
  if (p.variant == TimelyVariant::kPatched) {
    const double weight = std::min(std::max(2 * gradient_ + 0.5, 0.0), 1.0);
    const double error =
        static_cast<double>(static_cast<std::int64_t>(rtt - p.rtt_ref)) / static_cast<double>(p.rtt_ref);
    return delta * (1 - weight) + reduced(1 - p.beta_patched * weight * error);
  }
  if (gradient_ > 0) return reduced(1 - p.beta * gradient_);
  return rate() + (falling_ >= p.hai_events ? p.hai_factor : 1U) * delta;
}

double Timely::reduced(double factor) const { return rate() * std::max(factor, parameters_.max_decrease); }

void Timely::set_rate(double rate, Time now) { pacer_.set_rate(bounded(rate, parameters_), now); }

void Timely::on_nak(Nak nak, Time now) {
  if (nak != Nak::kTimeout) return;
  set_rate(rate() * parameters_.timeout_factor, now);
  last_sample_ = kNever;
}

void Timely::set_parameters(const TimelyParameters& parameters, Time now) {
  forget();
  parameters_ = parameters;
  set_rate(rate(), now);
}

CongestionState Timely::state(Time) const {
  const auto rate = static_cast<std::uint64_t>(std::llround(this->rate()));
  CongestionState state{.rate = rate, .target_rate = rate};
  if (rtt_ != 0) state.rtt = rtt_;
  return state;
}

}  // namespace softfeb::congestion
