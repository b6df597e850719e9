// SPDX-License-Identifier: BSD-3-Clause
#include "board/stream_monitor.hpp"

#include <algorithm>

namespace softfeb::board {

void StreamMonitor::Range::take(std::uint64_t value, bool first) {
  now = value;
  max = first ? value : std::max(max, value);
  min = first ? value : std::min(min, value);
}

void StreamMonitor::on_frame(std::size_t bytes, Time now) {
  advance(now);
  ++frames_;
  bytes_ += bytes;
  values_.frame_size.take(bytes, values_.frames == 0);
  ++values_.frames;
}

void StreamMonitor::reset(Time now) { *this = StreamMonitor(now); }

StreamMonitor::Values StreamMonitor::values(Time now) {
  advance(now);
  return values_;
}

void StreamMonitor::advance(Time now) {
  if (now < second_ + kSecond) return;
  const Time seconds = (now - second_) / kSecond;
  end_second();
  // Record one idle second; further idle seconds would not change the statistics.
  if (seconds > 1) end_second();
  second_ += seconds * kSecond;
}

void StreamMonitor::end_second() {
  values_.frame_rate.take(frames_, !rates_);
  values_.bandwidth.take(bytes_, !rates_);
  rates_ = true;
  frames_ = bytes_ = 0;
}

}  // namespace softfeb::board
