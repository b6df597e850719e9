// SPDX-License-Identifier: BSD-3-Clause
#include "engine/traffic.hpp"

#include "roce/transfer_immediate.hpp"

#include <utility>

namespace softfeb::engine {

TrafficSettings::TrafficSettings(const TrafficConfig& c) : config(c) {
  config.messages.reset();
  config.rate = 0;
  config.period = 0;
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
  if (const TransferSettings& t = profile_->config.transfer; t.segments != 0) {
    if (t.sender_notifies) return number % 2 == 1;
    return (number * t.group + immediate_) % t.segments == t.segments - 1;
  }
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

/// Returns segment n · group + i, counted over all transfers, where i is the number of this queue pair in its
/// group.
roce::WorkRequest Traffic::segment(std::uint64_t n) const {
  const TrafficConfig& c = profile_->config;
  const TransferSettings& t = c.transfer;
  const std::uint64_t number = n * t.group + immediate_;
  const std::uint64_t op = number / t.segments;
  const auto index = static_cast<std::uint32_t>(number % t.segments);
  const std::uint64_t length = c.plan.message_length();
  const board::MessageSlice slice = c.plan.at(n);
  roce::WorkRequest w;
  w.id = n;
  w.opcode = c.verb;
  w.solicited = c.solicited && index + 1 == t.segments;
  w.remote_address = remote_address_ + (op % c.slots * t.segments + index) * length;
  w.rkey = rkey_;
  w.length = slice.length;
  w.immediate = roce::TransferImmediate{static_cast<std::uint32_t>(op % roce::TransferImmediate::kOps),
                                        t.segments, index}
                    .encode();
  w.payload_offset = slice.offset;
  return w;
}

/// Returns message n: message 2k is transfer k, and message 2k + 1 is its notification.
roce::WorkRequest Traffic::transfer_of_sender(std::uint64_t n) const {
  const TrafficConfig& c = profile_->config;
  const std::uint64_t op = n / 2;
  const board::MessageSlice slice = c.plan.at(op);
  roce::WorkRequest w;
  w.id = n;
  w.remote_address = remote_address_ + op % c.slots * c.plan.message_length();
  w.rkey = rkey_;
  if (n % 2 == 0) {
    w.opcode = roce::WrOpcode::kWrite;
    w.length = slice.length;
    w.payload_offset = slice.offset;
    return w;
  }
  w.opcode = roce::WrOpcode::kWriteImm;
  w.solicited = c.solicited;
  w.immediate =
      roce::TransferImmediate{static_cast<std::uint32_t>(op % roce::TransferImmediate::kOps), 1, 0}.encode();
  return w;
}

void Traffic::record_post(Time now) const {
  const TransferSettings& t = profile_->config.transfer;
  if (t.times == nullptr) return;
  const std::uint64_t newest = made_ - 1;
  const bool first = t.sender_notifies ? newest % 2 == 0 : (newest * t.group + immediate_) % t.segments == 0;
  if (first) t.times->posted.add(now - t.times->post_delay);
}

inline roce::WorkRequest Traffic::request(std::uint64_t n) const {
  const TrafficConfig& c = profile_->config;
  if (c.transfer.segments != 0) return c.transfer.sender_notifies ? transfer_of_sender(n) : segment(n);
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
