// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Timer rules and constants of a requester (doc/retransmission.md).
enum class TimingProfile : std::uint8_t {
  /// The ACK timeout is 4.096 µs·2^t for timeout code t. The timer starts when a packet that requests an ACK
  /// is sent, and restarts on progress.
  kStandard,
  /// The rules of the board's firmware. The firmware counts clock cycles as if each lasted 6 ns. A cycle
  /// lasts 6.4 ns, so all periods are longer than nominal by a factor of 1.067. The ACK timer runs while any
  /// packet is unacknowledged, and restarts on any well-formed response and on any retry.
  kFirmware,
};

/// Time without progress after which a requester goes back, for timeout code `code` (0…31; IBA, section
/// 9.7.6.1.3). kNever for code 0.
Time ack_timeout(TimingProfile profile, std::uint8_t code);

/// Wait time requested by an RNR NAK with this timer code (0…31; IBA table 45).
Time rnr_wait(std::uint8_t timer_code);

/// Wait time after an RNR NAK if the requester has its own minimum. In the standard profile, this is the
/// longer of the two wait times. In the firmware profile, it is the wait time of the numerically greater
/// code. Any other code therefore overrides code 0, although code 0 stands for the longest wait time.
Time rnr_wait(TimingProfile profile, std::uint8_t timer_code, std::uint8_t own_minimum);

}  // namespace softfeb::roce
