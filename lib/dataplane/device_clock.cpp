// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device_clock.hpp"

namespace softfeb::dataplane {

void DeviceClock::add(const ClockSample& sample) {
  if (!any_) {
    first_ = middle_ = last_ = sample;
    any_ = true;
    return;
  }
  if (sample.time <= last_.time || sample.ticks <= last_.ticks) return;
  if (ready()) {
    const std::uint64_t expected = map_.at(sample.time);
    const std::uint64_t off = expected > sample.ticks ? expected - sample.ticks : sample.ticks - expected;
    correction_ = static_cast<Time>((Uint128{off} << 64) / map_.slope);
  }
  // The slope is measured from first_ to this sample. Move first_ forward, so that this interval stays
  // between kMemory and 2 * kMemory. It is shorter only at the start.
  if (sample.time - middle_.time > kMemory) {
    first_ = middle_;
    middle_ = sample;
  }
  last_ = sample;
  const Uint128 ticks = Uint128{sample.ticks - first_.ticks} << 64;
  map_ = {sample.time, sample.ticks, static_cast<std::uint64_t>(ticks / (sample.time - first_.time))};
}

}  // namespace softfeb::dataplane
