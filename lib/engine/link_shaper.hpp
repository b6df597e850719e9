// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/spacing.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// Shapes traffic to the board's link rate. Frames are sent one after another. Each occupies the link for
/// the duration of its bytes on the wire, including inter-packet gap, preamble and FCS. If the worker is
/// late, the shaper lets it catch up on at most `slack` of the lost time.
class LinkShaper {
 public:
  static constexpr Time kSlack = 2 * kMicrosecond;

  /// `rate` in bytes per second on the wire; 0 = unlimited.
  explicit LinkShaper(std::uint64_t rate = 0, Time slack = kSlack) : spacing_(rate), slack_(slack) {}

  Time slack() const { return slack_; }
  bool open(Time now) const { return free_ <= now; }
  /// Time at which the link becomes free.
  Time free_at() const { return free_; }

  /// Reports that the link was unusable until `t`, which is in the past, for a reason other than a late
  /// worker. The shaper does not catch up on that time.
  void was_closed_until(Time t) { free_ = std::max(free_, t); }

  /// Accounts for a sent frame of `length` bytes, from the Ethernet header through the iCRC.
  void sent(std::uint32_t length, Time now) {
    if (rate() == 0) return;
    // The minimum frame size is 64 bytes including the 4 bytes of FCS, which kWireOverhead also contains.
    const std::uint64_t wire = std::max<std::uint64_t>(length + 4, 64) + roce::kWireOverhead - 4;
    free_ = std::max(free_, now > slack_ ? now - slack_ : 0) + spacing_.next(wire);
  }

  std::uint64_t rate() const { return spacing_.rate(); }

 private:
  Spacing spacing_;
  Time slack_;
  Time free_ = 0;
};

}  // namespace softfeb::engine
