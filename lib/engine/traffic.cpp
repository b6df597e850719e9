// SPDX-License-Identifier: BSD-3-Clause
#include "engine/traffic.hpp"

#include <utility>

namespace softfeb::engine {

TrafficSettings::TrafficSettings(const TrafficConfig& c) : config(c) {
  config.messages.reset();
  config.rate = 0;
  config.burst = 1;
  config.remote_address = 0;
  config.rkey = 0;
  config.immediate = 0;
}

Traffic::Traffic(const TrafficConfig& config, Held<TrafficSettings>&& profile)
    : profile_(std::move(profile)),
      end_(config.messages.value_or(UINT64_MAX)),
      remote_address_(config.remote_address),
      rkey_(config.rkey),
      immediate_(config.immediate) {}

void Traffic::stop_arrivals(Time now) {
  MessageTimes* const random = times();
  if (random == nullptr || !random->open_loop()) return stop();
  random->stop(now);
  stop_if_exhausted();
}

bool Traffic::signaled(std::uint64_t number) const {
  switch (profile_->config.signaled) {
    case SignalPolicy::kAll:
      return true;
    case SignalPolicy::kLast:
      return number + 1 == end_;
    case SignalPolicy::kNone:
      return false;
  }
  return true;
}

inline roce::WorkRequest Traffic::request(std::uint64_t n) const {
  const TrafficConfig& c = profile_->config;
  const board::MessageSlice slice = c.plan.at(n);
  roce::WorkRequest w;
  w.id = n;
  w.opcode = c.verb;
  w.solicited = c.solicited;
  const std::uint64_t stride = c.stride != 0 ? c.stride : c.plan.message_length();
  w.remote_address = remote_address_ + (c.slots == 1 ? 0 : n % c.slots * stride);
  w.rkey = rkey_;
  w.length = profile_->times ? profile_->times->length(n) : slice.length;
  w.immediate =
      c.immediate_kind == ImmediateKind::kCounter ? immediate_ + static_cast<std::uint32_t>(n) : immediate_;
  w.payload_offset = slice.offset;
  return w;
}

roce::WorkRequest Traffic::make() {
  roce::WorkRequest w = request(made_);
  w.signaled = signaled(made_);
  ++made_;
  return w;
}

roce::WorkRequest Traffic::again(const void* traffic, std::uint32_t back) {
  const auto& t = *static_cast<const Traffic*>(traffic);
  return t.request(t.made_ - back);
}

}  // namespace softfeb::engine
