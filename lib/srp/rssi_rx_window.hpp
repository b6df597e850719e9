// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::srp::rssi {

/// A segment that cannot be delivered yet.
struct RxSegment {
  std::uint8_t sequence = 0;
  bool nul = false;
  std::vector<std::uint8_t> payload;
};

/// Tracks the next expected segment. Holds copies of at most one window of segments that arrived early or
/// cannot be accepted yet.
class RxWindow {
 public:
  enum class Place : std::uint8_t {
    kNext,
    kAhead,   ///< within the window, but not the next segment
    kKnown,   ///< duplicate
    kBeyond,  ///< beyond the window
  };

  void start(std::uint8_t next, std::size_t window);
  void stop();

  Place place(std::uint8_t sequence) const;
  std::uint8_t next() const { return next_; }
  void advance() { ++next_; }
  /// Reverts the last advance().
  void retreat() { --next_; }

  /// Stores a copy of a segment, at most one per sequence number. `nul` tells whether the segment is a NUL.
  void hold(std::uint8_t sequence, bool nul, ByteSpan payload);
  void hold(RxSegment segment);
  /// Removes and returns the next expected segment if a copy of it is stored.
  std::optional<RxSegment> take_next();
  std::size_t held() const { return held_.size(); }

 private:
  std::vector<RxSegment>::iterator find(std::uint8_t sequence);

  std::uint8_t next_ = 0;
  std::size_t window_ = 0;
  std::vector<RxSegment> held_;
};

}  // namespace softfeb::srp::rssi
