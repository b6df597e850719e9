// SPDX-License-Identifier: BSD-3-Clause
#include "roce/retry_timing.hpp"

#include <algorithm>
#include <array>

namespace softfeb::roce {

namespace {

constexpr Time kTimeoutUnit = 4096 * kNanosecond;

/// RNR wait times by timer code (IBA table 45), in units of 10 µs.
constexpr std::array<std::uint32_t, 32> kRnrTable = {
    65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
    256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

/// Returns the actual duration in the firmware of a timer period that nominally lasts `nominal`. The firmware
/// counts clock cycles as if each lasted 6 ns, and acts `pipeline` cycles after the end of the period. The
/// vectors test/vectors/wire/timeout_code* and rnr_* show this.
constexpr Time firmware_period(Time nominal, Time pipeline) {
  constexpr Time kAssumedClock = 6 * kNanosecond;
  return ((nominal + kAssumedClock - 1) / kAssumedClock + pipeline) * kFirmwareClock;
}

}  // namespace

Time ack_timeout(TimingProfile profile, std::uint8_t code) {
  if ((code & 31) == 0) return kNever;
  const Time nominal = kTimeoutUnit << (code & 31);
  return profile == TimingProfile::kFirmware ? firmware_period(nominal, 12) : nominal;
}

Time rnr_wait(std::uint8_t timer_code) { return kRnrTable[timer_code & 31] * (10 * kMicrosecond); }

Time rnr_wait(TimingProfile profile, std::uint8_t timer_code, std::uint8_t own_minimum) {
  if (profile == TimingProfile::kFirmware) {
    return firmware_period(rnr_wait(std::max<std::uint8_t>(timer_code & 31, own_minimum & 31)), 2);
  }
  return std::max(rnr_wait(timer_code), rnr_wait(own_minimum));
}

}  // namespace softfeb::roce
