// SPDX-License-Identifier: BSD-3-Clause
#include "lab/prediction.hpp"

#include <algorithm>

namespace softfeb::lab {

using dcqcn::edge_from;
using dcqcn::edge_until;
using dcqcn::time_of;

void RateReplay::add(const engine::CongestionEvent& event) {
  Due due;
  if (event.profile) {
    const auto* const firmware = std::get_if<dcqcn::FirmwareSettings>(&*event.profile);
    if (firmware == nullptr) return;
    due = {edge_until(event.at), firmware->parameters};
  } else {
    due = {edge_from(event.at), std::nullopt};
  }
  // A CNP takes effect at the clock edge that follows it. A later event must not take effect before the CNP.
  if (!due_.empty()) due.edge = std::max(due.edge, due_.back().edge);
  due_.push_back(due);
}

void RateReplay::advance(Time t) {
  for (; !due_.empty() && time_of(due_.front().edge) <= t; due_.pop_front()) {
    const Due& due = due_.front();
    integrate(std::max(at_, time_of(due.edge)));
    if (due.parameters) {
      point_.set_parameters(*due.parameters, due.edge);
    } else {
      point_.cnp(due.edge);
    }
  }
  integrate(t);
}

/// Adds the integral of Rc up to time `t` to the sum. Rc after edge n is valid until edge n + 1.
void RateReplay::integrate(Time t) {
  const dcqcn::Edge last = edge_until(t);
  while (point_.now() < last) {
    const std::uint64_t rc = point_.rc();
    point_.advance_to_rate_change(last);
    const Time until = std::max(at_, time_of(point_.now()));
    sum_ += Uint128{rc} * (until - at_);
    at_ = until;
  }
  if (t <= at_) return;
  sum_ += Uint128{point_.rc()} * (t - at_);
  at_ = t;
}

std::vector<std::uint64_t> integrate_rate(const RateOrigin& origin,
                                          std::span<const engine::CongestionEvent> events,
                                          std::span<const RateWindow> windows) {
  std::vector<Time> ends;
  for (const RateWindow& w : windows) {
    ends.push_back(w.from);
    ends.push_back(w.to);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  RateReplay replay(origin);
  std::vector<Uint128> integrals;
  for (const Time end : ends) {
    for (; !events.empty() && events.front().at <= end; events = events.subspan(1))
      replay.add(events.front());
    replay.advance(end);
    integrals.push_back(replay.integral());
  }
  const auto at = [&](Time t) {
    return integrals[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), t) - ends.begin())];
  };
  std::vector<std::uint64_t> out;
  for (const RateWindow& w : windows)
    out.push_back(static_cast<std::uint64_t>((at(w.to) - at(w.from)) / kSecond));
  return out;
}

bool credit_limited(const SentSample& from, const SentSample& to, std::uint32_t packet) {
  return from.sending && from.credit < std::int64_t{packet} && to.credit < std::int64_t{packet} &&
         from.spilled == to.spilled;
}

RateTracking track_rate(const RateOrigin& origin, std::span<const engine::CongestionEvent> events,
                        std::span<const SentSample> samples, Time length, std::uint32_t packet) {
  RateTracking out;
  std::vector<RateWindow> windows;
  std::vector<std::uint64_t> sent;
  for (std::size_t i = 0, k = 0; k < samples.size(); ++k) {
    if (samples[k].at - samples[i].at < length) continue;
    if (credit_limited(samples[i], samples[k], packet)) {
      windows.push_back({samples[i].at, samples[k].at});
      sent.push_back(samples[k].counted - samples[i].counted);
    } else {
      ++out.skipped;
    }
    i = k;
  }
  const auto integrals = integrate_rate(origin, events, windows);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::uint64_t difference = sent[i] > integrals[i] ? sent[i] - integrals[i] : integrals[i] - sent[i];
    out.largest_difference = std::max(out.largest_difference, difference);
    const double error =
        difference <= packet
            ? 0
            : static_cast<double>(difference) / static_cast<double>(std::max<std::uint64_t>(1, integrals[i]));
    if (error <= out.worst) continue;
    out.worst = error;
    out.worst_at = windows[i].from;
  }
  out.windows = windows.size();
  return out;
}

}  // namespace softfeb::lab
