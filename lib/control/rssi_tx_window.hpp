// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace softfeb::control::rssi {

/// A segment to be sent, or sent and not acknowledged.
struct TxSegment {
  std::vector<std::uint8_t> bytes;  ///< room for the header, then the payload
  bool nul = false;
  Time sent_at = 0;
  unsigned transmissions = 0;
};

/// What one end has to send: first the segments in flight, at most a window of them, then a bounded queue of
/// those that wait. Numbers are given when a segment leaves first, and are those of its place.
class TxWindow {
 public:
  /// `first`: number of the first segment.
  void start(std::uint8_t first, std::size_t window, std::size_t queue);
  /// Forgets everything and gives memory back.
  void stop();

  /// Segments that push() takes now.
  std::size_t room() const { return capacity_ - std::min(capacity_, segments_.size()); }
  bool push(ByteSpan payload);
  /// A NUL, to be sent next. False when the window is full.
  bool push_nul();

  /// The next segment, to be sent for the first time, now counted as in flight; nullptr when there is none,
  /// or the window is full.
  TxSegment* next();

  std::size_t in_flight() const { return in_flight_; }
  TxSegment& flying(std::size_t i) { return segments_[i]; }
  const TxSegment& flying(std::size_t i) const { return segments_[i]; }
  std::uint8_t sequence(std::size_t i) const { return static_cast<std::uint8_t>(base_ + i); }
  /// The first number the peer has not acknowledged, and the one that the next new segment will have.
  std::uint8_t base() const { return base_; }
  std::uint8_t next_sequence() const { return sequence(in_flight_); }

  /// Frees everything up to `number`. Nothing where that is old or was never sent; else how many.
  std::optional<std::size_t> acknowledge(std::uint8_t number);
  /// An acknowledge number from before the last one.
  bool is_old(std::uint8_t number) const;

 private:
  std::vector<std::uint8_t> buffer();

  std::deque<TxSegment> segments_;
  std::vector<std::vector<std::uint8_t>> spare_;  ///< buffers used before, at most a window of them
  std::size_t in_flight_ = 0;
  std::size_t window_ = 0;
  std::size_t capacity_ = 0;
  std::uint8_t base_ = 0;
};

}  // namespace softfeb::control::rssi
