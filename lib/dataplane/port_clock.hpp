// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device_clock.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"

#include <cstdint>
#include <string>

namespace softfeb::dataplane {

/// Tracks a NIC's clock against softfeb's clock, for packets that carry departure times. The control thread
/// reads the NIC's clock, which takes microseconds; workers get the resulting map from a mailbox.
class PortClock {
 public:
  /// Tracks the clock of a started port; construction takes 20 ms. `clock` is the clock of the control
  /// thread, and must outlive this object. Throws EnvironmentError when the NIC's clock cannot be read or
  /// does not advance.
  PortClock(std::uint16_t port, const std::string& name, const TscClock& clock);

  /// Reads the NIC's clock if 100 ms have passed since the last reading. The control thread must call this
  /// function often.
  void follow();
  const Mailbox<ClockMap>& map() const { return map_; }
  /// Largest difference between the predicted and the actual value of the NIC's clock, converted to time.
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
