// SPDX-License-Identifier: BSD-3-Clause
#include "detector/stream_buffers.hpp"

#include <memory_resource>

namespace softfeb::detector {

const char* to_string(StreamReason reason) {
  switch (reason) {
    case StreamReason::kFull:
      return "full";
    case StreamReason::kTimeout:
      return "timeout";
    case StreamReason::kEnd:
      break;
  }
  return "end";
}

StreamBuffers::StreamBuffers(const StreamBuffersConfig& config)
    : config_(config),
      streams_(config.streams),
      states_(std::size_t{config.streams} * config.buffers, State::kFree),
      memory_(states_.size() * config.size),
      closed_(states_.size(), std::pmr::new_delete_resource()) {}

StreamVerdict StreamBuffers::datagram(Time now, std::uint16_t port, const Segments& payload) {
  advance(now);
  // For a port below the first port, the difference wraps to a number that is not a stream.
  const std::uint32_t stream = std::uint32_t{port} - config_.first_port;
  const bool known = stream < config_.streams;
  const StreamVerdict verdict = known ? append(now, stream, payload) : StreamVerdict::kOtherPort;
  ++counts_.datagrams[static_cast<std::size_t>(verdict)];
  if (known) ++streams_[stream].counts.datagrams[static_cast<std::size_t>(verdict)];
  return verdict;
}

StreamVerdict StreamBuffers::append(Time now, std::uint32_t stream, const Segments& payload) {
  Stream& s = streams_[stream];
  if (payload.empty()) return StreamVerdict::kEmpty;
  if (payload.size() > config_.size) return StreamVerdict::kTooLong;
  const auto length = static_cast<std::uint32_t>(payload.size());
  if (s.bytes != 0 && config_.size - s.bytes < length) close(stream, StreamReason::kFull, now);
  if (s.bytes == 0) {
    State& state = states_[index(stream, s.buffer)];
    if (state != State::kFree) return StreamVerdict::kNoBuffer;
    state = State::kOpen;
    s.opened = now;
    link(stream);
  }
  payload.copy(0, length, memory_.data() + offset(stream, s.buffer) + s.bytes);
  s.bytes += length;
  ++s.packets;
  s.counts.bytes += length;
  counts_.bytes += length;
  s.counts.last = counts_.last = now;
  return StreamVerdict::kAppended;
}

void StreamBuffers::advance(Time now) {
  while (deadline() <= now) close(first_, StreamReason::kTimeout, deadline());
}

void StreamBuffers::finish(Time now) {
  advance(now);
  while (first_ != kNone) close(first_, StreamReason::kEnd, now);
}

void StreamBuffers::close(std::uint32_t stream, StreamReason reason, Time at) {
  Stream& s = streams_[stream];
  unlink(stream);
  states_[index(stream, s.buffer)] = State::kClosed;
  closed_.push({stream, s.buffer, s.bytes, s.packets, reason, s.opened, at});
  ++s.counts.events[static_cast<std::size_t>(reason)];
  ++counts_.events[static_cast<std::size_t>(reason)];
  s.buffer = s.buffer + 1 == config_.buffers ? 0 : s.buffer + 1;
  s.bytes = s.packets = 0;
}

std::optional<StreamEvent> StreamBuffers::poll() {
  if (closed_.empty()) return std::nullopt;
  const StreamEvent event = closed_.front();
  closed_.pop();
  states_[index(event.stream, event.buffer)] = State::kTaken;
  return event;
}

bool StreamBuffers::release(std::uint32_t stream, std::uint32_t buffer) {
  if (stream >= config_.streams || buffer >= config_.buffers) return false;
  State& state = states_[index(stream, buffer)];
  if (state != State::kTaken) return false;
  state = State::kFree;
  return true;
}

void StreamBuffers::link(std::uint32_t stream) {
  Stream& s = streams_[stream];
  s.before = last_;
  s.behind = kNone;
  (last_ == kNone ? first_ : streams_[last_].behind) = stream;
  last_ = stream;
}

void StreamBuffers::unlink(std::uint32_t stream) {
  const Stream& s = streams_[stream];
  (s.before == kNone ? first_ : streams_[s.before].behind) = s.behind;
  (s.behind == kNone ? last_ : streams_[s.behind].before) = s.before;
}

}  // namespace softfeb::detector
