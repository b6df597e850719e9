// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::board {

/// What AxiStreamMon measures of a stream: frames, their size, and of every whole second the rate. Maxima and
/// minima are those since reset(); before anything was measured all are 0.
class StreamMonitor {
 public:
  struct Range {
    std::uint64_t now = 0, max = 0, min = 0;

    void take(std::uint64_t value, bool first);
  };
  struct Values {
    std::uint64_t frames = 0;
    Range frame_rate;  ///< frames in the last whole second
    Range bandwidth;   ///< bytes in it
    Range frame_size;  ///< bytes
  };

  /// `start`: from where on seconds are counted.
  explicit StreamMonitor(Time start = 0) : second_(start) {}

  /// A frame passed. Times do not go back.
  void on_frame(std::size_t bytes, Time now);
  void reset(Time now);
  Values values(Time now);

 private:
  void advance(Time now);
  void end_second();

  Values values_;
  Time second_;  ///< when the second began that is being counted
  std::uint64_t frames_ = 0, bytes_ = 0;
  bool rates_ = false;  ///< a whole second was measured
};

}  // namespace softfeb::board
