// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/ring.hpp"
#include "detector/stream_buffers.hpp"
#include "roce/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::engine {

struct StreamReceiverConfig {
  detector::StreamBuffersConfig buffers;
  /// Time for which the built-in consumer keeps a buffer.
  Time hold = 0;
  /// If true, the application takes the events (poll()) and releases the buffers. If false, the built-in
  /// consumer takes the events, and releases each buffer `hold` after its event.
  bool keep_events = false;
};

/// Streams of UDP datagrams of a receiver, and a consumer that keeps each buffer for a fixed time. Sans-I/O;
/// only the constructor allocates.
class StreamReceiver {
 public:
  /// Number of events that are recorded for the result.
  static constexpr std::size_t kRecorded = 64;

  explicit StreamReceiver(const StreamReceiverConfig& config)
      : config_(config),
        buffers_(config.buffers),
        held_(std::size_t{config.buffers.streams} * config.buffers.buffers, std::pmr::new_delete_resource()) {
    recorded_.reserve(kRecorded);
  }

  /// Processes a datagram. Returns false if it is not for the port of a stream.
  bool datagram(Time now, const roce::ParsedFrame& frame) {
    advance(now);
    const bool ours =
        buffers_.datagram(now, frame.dest_port, frame.content) != detector::StreamVerdict::kOtherPort;
    consume();
    return ours;
  }
  void advance(Time now) {
    // Handle timeouts and releases in chronological order, because the next datagram may
    // need a released buffer.
    for (Time at = deadline(); at <= now; at = deadline()) {
      buffers_.advance(at);
      while (!held_.empty() && saturating_add(held_.front().at, config_.hold) <= at) {
        buffers_.release(held_.front().stream, held_.front().buffer);
        held_.pop();
      }
      consume();
    }
  }
  Time deadline() const {
    const Time release = held_.empty() ? kNever : saturating_add(held_.front().at, config_.hold);
    return release < buffers_.deadline() ? release : buffers_.deadline();
  }
  /// Call once, after the last datagram.
  void finish(Time now) {
    advance(now);
    buffers_.finish(now);
    consume();
  }

  /// With `keep_events`: returns the oldest event that was not returned before. The caller must release the
  /// buffer of the event. Returns std::nullopt if there is no event, or without `keep_events`.
  std::optional<detector::StreamEvent> poll() {
    auto event = config_.keep_events ? buffers_.poll() : std::nullopt;
    if (event) record(*event);
    return event;
  }
  bool release(std::uint32_t stream, std::uint32_t buffer) { return buffers_.release(stream, buffer); }

  const detector::StreamBuffers& buffers() const { return buffers_; }
  /// The first events that were taken, up to kRecorded of them, in order.
  std::span<const detector::StreamEvent> recorded() const { return recorded_; }

 private:
  void consume() {
    if (config_.keep_events) return;
    while (const auto event = buffers_.poll()) {
      record(*event);
      if (config_.hold == 0) {
        buffers_.release(event->stream, event->buffer);
      } else {
        held_.push(*event);
      }
    }
  }
  void record(const detector::StreamEvent& event) {
    if (recorded_.size() < kRecorded) recorded_.push_back(event);
  }

  StreamReceiverConfig config_;
  detector::StreamBuffers buffers_;
  /// Events whose buffers the consumer still holds, in the order in which it will release them.
  detector::Ring<detector::StreamEvent> held_;
  std::vector<detector::StreamEvent> recorded_;
};

}  // namespace softfeb::engine
