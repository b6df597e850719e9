// SPDX-License-Identifier: BSD-3-Clause
#include "stats/control_state.hpp"

#include <algorithm>

namespace softfeb::stats {
namespace {

std::optional<double> seconds_of(const std::optional<Time>& time) {
  return time ? std::optional(to_seconds(*time)) : std::nullopt;
}

std::optional<double> number_of(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

}  // namespace

void ControlMean::add(const std::optional<double>& value) {
  if (!value) return;
  ++controls;
  sum += *value;
}

std::optional<double> ControlMean::mean() const {
  if (controls == 0) return std::nullopt;
  return sum / static_cast<double>(controls);
}

ControlMean& ControlMean::operator+=(const ControlMean& o) {
  controls += o.controls;
  sum += o.sum;
  return *this;
}

ControlState& ControlState::operator+=(const ControlState& o) {
  if (o.controls == 0) return *this;
  rc_min = controls == 0 ? o.rc_min : std::min(rc_min, o.rc_min);
  rc_max = std::max(rc_max, o.rc_max);
  rc += o.rc;
  rt += o.rt;
  alpha += o.alpha;
  rtt += o.rtt;
  target_delay += o.target_delay;
  window += o.window;
  utilization += o.utilization;
  granted += o.granted;
  controls += o.controls;
  return *this;
}

std::optional<double> alpha_of(const congestion::CongestionState& state) {
  if (state.alpha_one <= 1) return std::nullopt;
  return static_cast<double>(state.alpha) / state.alpha_one;
}

ControlState control_of(const engine::SendQpSnapshot& qp) {
  if (!qp.exists || !qp.congestion) return {};
  const congestion::CongestionState& state = *qp.congestion;
  const auto rc = static_cast<double>(state.rate);
  ControlState out;
  out.controls = 1;
  out.rc = out.rc_min = out.rc_max = rc;
  out.rt = static_cast<double>(state.target_rate);
  out.alpha.add(alpha_of(state));
  out.rtt.add(seconds_of(state.rtt));
  out.target_delay.add(seconds_of(state.target_delay));
  out.window.add(state.window);
  out.utilization.add(state.utilization);
  out.granted.add(number_of(state.granted));
  return out;
}

}  // namespace softfeb::stats
