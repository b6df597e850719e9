// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"
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
  explicit LinkShaper(std::uint64_t rate = 0, Time slack = kSlack) : rate_(rate), slack_(slack) {}

  bool open(Time now) const { return free_ <= now; }
  /// When the link is free again.
  Time free_at() const { return free_; }

  /// Something else kept the link from sending until `t`, which has passed: that time is no slack.
  void was_closed_until(Time t) { free_ = std::max(free_, t); }

  /// A frame of `length` bytes (Ethernet to iCRC) leaves.
  void sent(std::uint32_t length, Time now) {
    if (rate_ == 0) return;
    // The shortest frame is 64 bytes with its FCS.
    const std::uint64_t wire = std::max<std::uint64_t>(length + 4, 64) + roce::kWireOverhead - 4;
    const Uint128 total = Uint128{wire} * kSecond + remainder_;
    remainder_ = static_cast<std::uint64_t>(total % rate_);
    free_ = std::max(free_, now > slack_ ? now - slack_ : 0) + static_cast<Time>(total / rate_);
  }

  std::uint64_t rate() const { return rate_; }

 private:
  std::uint64_t rate_;
  Time slack_;
  Time free_ = 0;
  std::uint64_t remainder_ = 0;
};

}  // namespace softfeb::engine
