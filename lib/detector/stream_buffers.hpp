// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/segments.hpp"
#include "base/time.hpp"
#include "detector/ring.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::detector {

struct StreamBuffersConfig {
  std::uint16_t first_port = 6000;  ///< UDP port of stream 0; stream s has port first_port + s
  std::uint32_t streams = 4;
  std::uint32_t buffers = 8;          ///< number of buffers of each stream
  std::uint32_t size = 64 * 1024;     ///< size of a buffer in bytes
  Time timeout = 100 * kMicrosecond;  ///< time from the first byte of a buffer until it is closed
};

/// Why a buffer was closed.
enum class StreamReason : std::uint8_t {
  kFull,     ///< the next datagram did not fit
  kTimeout,  ///< StreamBuffersConfig::timeout passed
  kEnd,      ///< the run ended
};
const char* to_string(StreamReason reason);  ///< "full", "timeout", "end"
inline constexpr std::size_t kStreamReasons = 3;

/// A closed buffer. The buffer belongs to the consumer until the consumer releases it.
struct StreamEvent {
  std::uint32_t stream = 0;
  std::uint32_t buffer = 0;
  std::uint32_t bytes = 0;
  std::uint32_t packets = 0;
  StreamReason reason = StreamReason::kFull;
  Time first = 0;  ///< arrival of the buffer's first byte
  Time at = 0;     ///< time at which the buffer was closed
};

enum class StreamVerdict : std::uint8_t {
  kAppended,
  kEmpty,      ///< the datagram has no data, so it is ignored
  kOtherPort,  ///< no stream has this port, so the datagram is ignored
  kTooLong,    ///< the datagram is longer than a buffer, so it is dropped
  kNoBuffer,   ///< the consumer has not released the stream's next buffer, so the datagram is dropped
};
inline constexpr std::size_t kStreamVerdicts = 5;

struct StreamCounts {
  std::uint64_t datagrams[kStreamVerdicts] = {};
  std::uint64_t events[kStreamReasons] = {};
  std::uint64_t bytes = 0;  ///< bytes that were appended
  Time last = 0;            ///< arrival of the last datagram that was appended

  std::uint64_t operator[](StreamVerdict v) const { return datagrams[static_cast<std::size_t>(v)]; }
  std::uint64_t operator[](StreamReason r) const { return events[static_cast<std::size_t>(r)]; }
};

/// Circular buffers for streams of UDP datagrams, as in NaNet-10. Each datagram is appended to the current
/// buffer of its stream, and datagrams are never split. The buffer is closed when a datagram does not fit, or
/// after the timeout. A closed buffer is an event. The consumer receives events in the order in which the
/// buffers were closed. A stream uses its buffers in turn. If the next buffer has not been released, the
/// stream's datagrams are dropped.
///
/// Sans-I/O, not thread-safe. The times passed to successive calls must not decrease. A call that takes a
/// time first processes the timeouts that are due by then. Only the constructor allocates: streams · buffers
/// · size bytes. Every call takes constant time, plus the copy of the datagram and constant time for each
/// buffer that it closes.
class StreamBuffers {
 public:
  /// All numbers must be at least 1; the ports must not exceed 65535.
  explicit StreamBuffers(const StreamBuffersConfig& config);

  StreamVerdict datagram(Time now, std::uint16_t port, const Segments& payload);
  /// Closes the buffers whose timeout is due.
  void advance(Time now);
  /// Time at which advance() will close a buffer; kNever if all current buffers are empty.
  Time deadline() const {
    return first_ == kNone ? kNever : saturating_add(streams_[first_].opened, config_.timeout);
  }
  /// Closes all buffers that contain data, at the end of the run.
  void finish(Time now);

  /// Returns the oldest event that has not been returned yet.
  std::optional<StreamEvent> poll();
  /// Data in an event's buffer. Valid until the buffer is released.
  ByteSpan data(const StreamEvent& event) const {
    return ByteSpan(memory_).subspan(offset(event.stream, event.buffer), event.bytes);
  }
  /// Gives a buffer back to its stream. Returns false if the buffer does not belong to the consumer. Buffers
  /// may be released in any order.
  bool release(std::uint32_t stream, std::uint32_t buffer);

  const StreamBuffersConfig& config() const { return config_; }
  const StreamCounts& counts() const { return counts_; }
  const StreamCounts& counts_of(std::uint32_t stream) const { return streams_[stream].counts; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  enum class State : std::uint8_t { kFree, kOpen, kClosed, kTaken };

  struct Stream {
    std::uint32_t buffer = 0;  ///< current buffer
    std::uint32_t bytes = 0;   ///< bytes in the current buffer; 0 if the buffer is not in use yet
    std::uint32_t packets = 0;
    Time opened = 0;
    // Previous and next stream in the list of streams whose buffer contains data (see first_).
    std::uint32_t before = kNone;
    std::uint32_t behind = kNone;
    StreamCounts counts;
  };

  std::size_t index(std::uint32_t stream, std::uint32_t buffer) const {
    return std::size_t{stream} * config_.buffers + buffer;
  }
  std::size_t offset(std::uint32_t stream, std::uint32_t buffer) const {
    return index(stream, buffer) * config_.size;
  }
  StreamVerdict append(Time now, std::uint32_t stream, const Segments& payload);
  void close(std::uint32_t stream, StreamReason reason, Time at);
  void link(std::uint32_t stream);
  void unlink(std::uint32_t stream);

  StreamBuffersConfig config_;
  std::vector<Stream> streams_;
  std::vector<State> states_;  ///< state of each buffer
  std::vector<std::uint8_t> memory_;
  Ring<StreamEvent> closed_;  ///< events not returned by poll() yet; at most one for each buffer
  /// List of the streams whose buffer contains data, in order of `opened`, which is also the order of their
  /// timeouts.
  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  StreamCounts counts_;
};

}  // namespace softfeb::detector
