// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace softfeb::srp::rssi {

/// A segment that is queued, or sent and not acknowledged.
struct TxSegment {
  std::vector<std::uint8_t> bytes;  ///< space for the header, then the payload
  bool nul = false;
  Time sent_at = 0;
  unsigned transmissions = 0;
};

/// Transmit queue of one end. The queue starts with the segments in flight, at most one window, followed by a
/// bounded number of unsent segments. The position of a segment determines its sequence number. This
/// number does not change once the segment has been sent.
class TxWindow {
 public:
  /// Prepares for a new connection. `first` is the sequence number of the first segment. `window` is the
  /// maximum number of segments in flight, and `queue` is the maximum number of segments that are queued
  /// beyond the window.
  void start(std::uint8_t first, std::size_t window, std::size_t queue);
  /// Discards everything and frees the memory.
  void stop();

  /// Number of segments that push() accepts now.
  std::size_t room() const { return capacity_ - std::min(capacity_, segments_.size()); }
  bool push(ByteSpan payload);
  /// Queues a NUL to be sent next. Returns false if the window is full.
  bool push_nul();

  /// Returns the next unsent segment and counts it as in flight; nullptr if there is none or the window is
  /// full.
  TxSegment* next();

  std::size_t in_flight() const { return in_flight_; }
  TxSegment& flying(std::size_t i) { return segments_[i]; }
  const TxSegment& flying(std::size_t i) const { return segments_[i]; }
  std::uint8_t sequence(std::size_t i) const { return static_cast<std::uint8_t>(base_ + i); }
  /// First unacknowledged sequence number, and the sequence number of the next new segment.
  std::uint8_t base() const { return base_; }
  std::uint8_t next_sequence() const { return sequence(in_flight_); }

  /// Frees all segments up to sequence number `number`. Returns how many were freed, or nullopt if `number`
  /// is old or was never sent.
  std::optional<std::size_t> acknowledge(std::uint8_t number);
  /// True if `number` is older than the last acknowledge number.
  bool is_old(std::uint8_t number) const;

 private:
  std::vector<std::uint8_t> buffer();

  std::deque<TxSegment> segments_;
  std::vector<std::vector<std::uint8_t>> spare_;  ///< reusable buffers, at most one per segment of the window
  std::size_t in_flight_ = 0;
  std::size_t window_ = 0;
  std::size_t capacity_ = 0;
  std::uint8_t base_ = 0;
};

}  // namespace softfeb::srp::rssi
