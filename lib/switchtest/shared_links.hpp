// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/path_finder.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The stimulus of the test `ecmp` inside a fabric. Port A sends a flow to port D, and port B sends a flow to
/// port E at the same time; A and B ignore pauses. If both flows take the same link, and the link is too
/// narrow for both, their frames wait longer and longer at this link, or are lost.
class SharedLinks {
 public:
  /// Requires four different ports A, B, D and E.
  explicit SharedLinks(Context& ctx);

  /// Measures the rate of a single flow from port A to port D and of a single flow from port B to port E, and
  /// keeps the lower of the two rates. Call this function before the other functions. Returns false if no
  /// trial was valid, or if no frames arrived (found() is then false).
  bool measure();
  /// True if frames arrived in measure().
  bool found() const { return gap_ != 0; }

  /// Returns, for each pair, whether its flows share a link that is too narrow for both when each flow sends
  /// at `percent` of the measured rate. Returns std::nullopt if no trial was valid.
  std::optional<std::vector<bool>> shared(const std::vector<FlowPair>& pairs, unsigned percent);
  /// Returns, for a single flow, the share of frames that arrive after a frame that departed later. The flow
  /// mixes long and short frames: short frames overtake long frames if they take another path. Returns
  /// std::nullopt if no trial was valid.
  std::optional<double> overtaken();

 private:
  struct Segment {
    Time length = 0;
    std::uint64_t frames = 0;
    Time gap = 0;
  };

  Trial empty_trial() const;
  Segment segment(unsigned percent) const;
  std::uint16_t add(Trial& trial, const Flow& flow, bool second, Time start, const Segment& segment) const;
  std::optional<Time> gap_of(bool second);

  Context& ctx_;
  std::uint32_t size_;  ///< with FCS
  Time gap_ = 0;        ///< gap between frames at the rate that measure() found
};

}  // namespace softfeb::switchtest
