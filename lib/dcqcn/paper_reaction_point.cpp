// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/paper_reaction_point.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

namespace {

constexpr std::uint32_t kStageMax = UINT32_MAX / 2;
constexpr unsigned kAlphaBits = 40;

/// Expiry of a timer started at `now`; kNever if the interval is 0 (no timer).
Time after(Time now, Time interval) { return interval == 0 ? kNever : saturating_add(now, interval); }

std::uint64_t share(std::uint64_t rate, std::uint64_t numerator, std::uint64_t denominator) {
  return static_cast<std::uint64_t>(Uint128{rate} * numerator / denominator);
}

}  // namespace

PaperReactionPoint::PaperReactionPoint(const PaperParameters& parameters)
    : byte_counter_(parameters.byte_counter),
      rates_{parameters.line_rate, parameters.line_rate},
      alpha_(std::uint64_t{parameters.initial_alpha} << (kAlphaBits - 10)),
      parameters_(parameters) {}

void PaperReactionPoint::advance_time(Time now) {
  for (Time t = next_event(); t <= now && t != kNever; t = next_event()) handle(t, now, true);
  now_ = std::max(now_, now);
}

void PaperReactionPoint::advance(Edge n) { advance_time(time_of(n)); }

bool PaperReactionPoint::advance_to_rate_change(Edge limit) {
  const std::uint64_t rc = rates_.rc;
  const Time last = time_of(limit);
  for (Time t = next_event(); t <= last && t != kNever; t = next_event()) {
    handle(t, last, false);
    if (rates_.rc == rc) continue;
    now_ = std::max(now_, t);
    return true;
  }
  now_ = std::max(now_, last);
  return false;
}

void PaperReactionPoint::handle(Time t, Time last, bool ramps) {
  if (t == alpha_at_) {
    update_alpha(parameters_.alpha_update == PaperParameters::AlphaUpdate::kEachPeriod && cnp_in_period_);
    cnp_in_period_ = false;
    alpha_at_ += parameters_.alpha_interval;
    leap_alpha(last);
  } else if (t == timer_at_) {
    time_stage_ = std::min(time_stage_ + 1, kStageMax);
    timer_at_ += parameters_.increase_timer;
    increase();
    leap_timer(std::min(last, cut_at_), ramps);
  } else {
    cut(t);
  }
}

void PaperReactionPoint::update_alpha(bool grow) {
  const std::uint64_t decayed = (alpha_ * parameters_.one_minus_g) >> 10;
  const std::uint64_t g = std::uint64_t{1024U - parameters_.one_minus_g} << (kAlphaBits - 10);
  alpha_ = decayed + (grow ? g : 0);
}

Rates PaperReactionPoint::increased(std::uint32_t time_stage) const {
  const std::uint32_t f = parameters_.fast_recovery_steps;
  std::uint64_t rt = rates_.rt;
  if (std::max(time_stage, byte_stage_) >= f) {
    const std::uint32_t both =
        parameters_.hyper_step_after_timer ? time_stage : std::min(time_stage, byte_stage_);
    rt += both > f ? parameters_.hyper_step : parameters_.additive_step;
    rt = std::min(rt, parameters_.line_rate);
  }
  return {(rates_.rc + rt + 1) / 2, rt};
}

void PaperReactionPoint::increase() { rates_ = increased(time_stage_); }

// Skips timer periods up to `last` if their effect has a closed form. There are two such cases. At line
// rate, nothing changes. On a ramp that increases Rc and Rt by the same amount m, all steps are equal until
// Rt reaches the line rate, because the mean of Rc and Rt also increases by m.
void PaperReactionPoint::leap_timer(Time last, bool ramps) {
  if (timer_at_ > last || last == kNever || time_stage_ > kStageMax / 2) return;
  std::uint64_t steps = (last - timer_at_) / parameters_.increase_timer + 1;
  if (steps < 4) return;
  const Rates now = rates_, next = increased(time_stage_ + 1);
  const std::uint64_t step = next.rt - now.rt;
  if (next != now) {
    // On a ramp, all further steps must be of the same kind. This is the case if the timer stage is past F,
    // because the byte stage does not change here.
    if (!ramps || time_stage_ <= parameters_.fast_recovery_steps || step == 0 || next.rc - now.rc != step)
      return;
    steps = std::min(steps, (parameters_.line_rate - now.rt) / step);
    rates_ = {now.rc + steps * step, now.rt + steps * step};
  } else if (now.rt != parameters_.line_rate) {
    return;
  }
  time_stage_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(time_stage_ + steps, kStageMax));
  timer_at_ += steps * parameters_.increase_timer;
}

void PaperReactionPoint::leap_alpha(Time last) {
  if (alpha_ != 0 || alpha_at_ > last || cut_at_ <= last) return;
  alpha_at_ += ((last - alpha_at_) / parameters_.alpha_interval + 1) * parameters_.alpha_interval;
}

void PaperReactionPoint::cut(Time now) {
  const bool increased = byte_stage_ != 0 || (parameters_.clamp_target_rate_after_timer && time_stage_ != 0);
  if (parameters_.clamp_target_rate || increased) rates_.rt = rates_.rc;
  const std::uint64_t delta =
      static_cast<std::uint64_t>((Uint128{rates_.rc} * alpha_) >> (kAlphaBits - 10 + parameters_.gd));
  const std::uint64_t least = share(rates_.rc, parameters_.min_decrease_factor, 100);
  rates_.rc = std::max({rates_.rc - std::min(delta, rates_.rc), least, parameters_.min_rate});
  if (parameters_.alpha_update == PaperParameters::AlphaUpdate::kAtCut) {
    update_alpha(true);
    alpha_at_ = after(now, parameters_.alpha_interval);
  }
  time_stage_ = byte_stage_ = 0;
  bytes_ = 0;
  timer_at_ = after(now, parameters_.increase_timer);
  cut_at_ = kNever;
  last_cut_ = now;
}

void PaperReactionPoint::cnp(Time now) {
  now = std::max(now, now_);
  advance_time(now);
  ++cnps_;
  cnp_in_period_ = true;
  if (!active_) {
    active_ = true;
    alpha_at_ = after(now, parameters_.alpha_interval);
    if (parameters_.rate_on_first_cnp != 0) rates_.rc = std::min(rates_.rc, parameters_.rate_on_first_cnp);
    cut(now);
  } else if (now - last_cut_ >= parameters_.decrease_interval) {
    cut(now);
  } else {
    cut_at_ = last_cut_ + parameters_.decrease_interval;
  }
}

void PaperReactionPoint::sent(std::uint32_t bytes, Time now) {
  advance_time(now);
  if (active_) count(bytes);
}

bool PaperReactionPoint::expire_byte_counter() {
  const std::uint64_t rc = rates_.rc;
  for (; bytes_ >= byte_counter_; bytes_ -= byte_counter_) {
    byte_stage_ = std::min(byte_stage_ + 1, kStageMax);
    increase();
  }
  return rates_.rc != rc;
}

void PaperReactionPoint::set_parameters(const PaperParameters& parameters, Time now) {
  advance_time(now);
  parameters_ = parameters;
  byte_counter_ = parameters.byte_counter;
  if (!active_) {
    rates_ = {parameters.line_rate, parameters.line_rate};
    alpha_ = std::uint64_t{parameters.initial_alpha} << (kAlphaBits - 10);
    return;
  }
  rates_ = {std::min(rates_.rc, parameters.line_rate), std::min(rates_.rt, parameters.line_rate)};
  if (parameters.increase_timer == 0 || timer_at_ == kNever)
    timer_at_ = after(now, parameters.increase_timer);
  if (parameters.alpha_interval == 0 || alpha_at_ == kNever)
    alpha_at_ = after(now, parameters.alpha_interval);
}

}  // namespace softfeb::dcqcn
