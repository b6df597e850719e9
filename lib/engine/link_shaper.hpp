// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/spacing.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// The board's link: frames leave one after the other, each for as long as its bytes take on the wire, gap,
/// preamble and FCS included. A worker that comes late may use up to `slack` of the time that passed.
class LinkShaper {
 public:
  static constexpr Time kSlack = 2 * kMicrosecond;

  /// `rate` in bytes per second on the wire; 0 = a link without limit.
  explicit LinkShaper(std::uint64_t rate = 0, Time slack = kSlack) : spacing_(rate), slack_(slack) {}

  Time slack() const { return slack_; }
  bool open(Time now) const { return free_ <= now; }
  /// When the link is free again.
  Time free_at() const { return free_; }

  /// Something else kept the link from sending until `t`, which has passed: that time is no slack.
  void was_closed_until(Time t) { free_ = std::max(free_, t); }

  /// A frame of `length` bytes (Ethernet to iCRC) leaves.
  void sent(std::uint32_t length, Time now) {
    if (rate() == 0) return;
    // The shortest frame is 64 bytes with its FCS.
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
