// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::board {

/// Stream statistics of AxiStreamMon: frame count, frame size, and the rates over each whole second. Minima
/// and maxima cover the time since the start or the last reset(). All values are 0 before the first
/// measurement.
class StreamMonitor {
 public:
  struct Range {
    std::uint64_t now = 0, max = 0, min = 0;

    void take(std::uint64_t value, bool first);
  };
  struct Values {
    std::uint64_t frames = 0;
    Range frame_rate;  ///< frames in the last whole second
    Range bandwidth;   ///< bytes in the last whole second
    Range frame_size;  ///< bytes
  };

  /// `start` is the beginning of the first second.
  explicit StreamMonitor(Time start = 0) : second_(start) {}

  /// Counts a frame. `now` must not decrease between calls.
  void on_frame(std::size_t bytes, Time now);
  void reset(Time now);
  Values values(Time now);

 private:
  void advance(Time now);
  void end_second();

  Values values_;
  Time second_;  ///< start of the second being counted
  std::uint64_t frames_ = 0, bytes_ = 0;
  bool rates_ = false;  ///< true if at least one whole second was measured
};

}  // namespace softfeb::board
