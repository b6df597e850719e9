// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device_clock.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"

#include <cstdint>
#include <string>

namespace softfeb::dataplane {

/// Keeps a port's clock and ours together, for packets that say when they are to leave. The control thread
/// reads the clock, which takes a NIC microseconds; workers take the line through it from a mailbox.
class PortClock {
 public:
  /// Of a started port; takes 20 ms. `clock`, the control thread's, outlives it. Throws EnvironmentError when
  /// its clock cannot be read or stands still.
  PortClock(std::uint16_t port, const std::string& name, const TscClock& clock);

  /// Reads the clock again when a tenth of a second has passed. To be called often, by the control thread.
  void follow();
  const Mailbox<ClockMap>& map() const { return map_; }
  /// Largest difference between what was predicted and what was read.
  Time largest_correction() const { return largest_correction_; }

 private:
  bool read();

  std::uint16_t port_;
  const TscClock& clock_;
  DeviceClock device_;
  Mailbox<ClockMap> map_;
  Time read_at_ = 0;
  Time largest_correction_ = 0;
};

}  // namespace softfeb::dataplane
