// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// Number of a rising clock edge of the firmware. Edge n is at n · 6.4 ns; "after edge n" refers to the
/// register values from then until edge n + 1.
using Edge = std::uint64_t;

/// No edge; compares greater than every edge.
inline constexpr Edge kNoEdge = UINT64_MAX;

/// Returns the edge that samples an event at `t`: the first edge at or after `t`.
constexpr Edge edge_from(Time t) { return t / kFirmwareClock + (t % kFirmwareClock != 0 ? 1 : 0); }

/// Returns the last edge at or before `t`. The register values at `t` are those after this edge.
constexpr Edge edge_until(Time t) { return t / kFirmwareClock; }

constexpr Time time_of(Edge n) { return n > kNever / kFirmwareClock ? kNever : n * kFirmwareClock; }

/// A future edge, less than 256 edges ahead of a known edge. Stores only the low byte of its number.
class NearEdge {
 public:
  void set(Edge n) {
    low_ = static_cast<std::uint8_t>(n);
    set_ = true;
  }
  void clear() { set_ = false; }
  bool is_set() const { return set_; }
  /// Returns the edge, which must not be before `now`; kNoEdge if not set.
  Edge from(Edge now) const {
    return set_ ? now + static_cast<std::uint8_t>(low_ - static_cast<std::uint8_t>(now)) : kNoEdge;
  }

 private:
  std::uint8_t low_ = 0;
  bool set_ = false;
};

}  // namespace softfeb::dcqcn
