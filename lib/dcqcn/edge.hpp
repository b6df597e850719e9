// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// Number of a rising edge of the firmware's clock. Edge n is at n · 6.4 ns; "after edge n" is what registers
/// show from then until edge n + 1.
using Edge = std::uint64_t;

/// No such edge: later than every one.
inline constexpr Edge kNoEdge = UINT64_MAX;

/// The edge that samples what happens at `t`: the first one not before it.
constexpr Edge edge_from(Time t) { return t / kFirmwareClock + (t % kFirmwareClock != 0 ? 1 : 0); }

/// The edge after which registers show what they show at `t`.
constexpr Edge edge_until(Time t) { return t / kFirmwareClock; }

constexpr Time time_of(Edge n) { return n > kNever / kFirmwareClock ? kNever : n * kFirmwareClock; }

/// An edge to come, less than 256 ahead of one that is known: all that is kept of it is a byte.
class NearEdge {
 public:
  void set(Edge n) {
    low_ = static_cast<std::uint8_t>(n);
    set_ = true;
  }
  void clear() { set_ = false; }
  bool is_set() const { return set_; }
  /// Not before `now`; kNoEdge.
  Edge from(Edge now) const {
    return set_ ? now + static_cast<std::uint8_t>(low_ - static_cast<std::uint8_t>(now)) : kNoEdge;
  }

 private:
  std::uint8_t low_ = 0;
  bool set_ = false;
};

}  // namespace softfeb::dcqcn
