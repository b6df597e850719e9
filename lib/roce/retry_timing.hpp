// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Timer rules and constants of a requester (WIRE.md sections 3 and 6, doc/retransmission.md).
enum class TimingProfile : std::uint8_t {
  /// 4.096 µs·2^t; the timer starts when a packet that asks for an ACK has left and is restarted by progress.
  kStandard,
  /// The board's: periods counted in clocks taken for 6 ns (×1.067), the timer runs while anything is
  /// unacknowledged
  /// and is restarted by any well-formed response and by retries.
  kFirmware,
};

/// Time without progress after which a requester goes back, for the timeout code `code` (IBA 9.7.6.1.3;
/// 0…31). kNever for code 0.
Time ack_timeout(TimingProfile profile, std::uint8_t code);

/// The wait an RNR NAK with this timer code asks for (IBA table 45; 0…31).
Time rnr_wait(std::uint8_t timer_code);

/// The wait after an RNR NAK when the requester has a minimum of its own: the longer of the two. The firmware
/// compares the codes as numbers, so its code 0 (the longest wait) gives way to any other.
Time rnr_wait(TimingProfile profile, std::uint8_t timer_code, std::uint8_t own_minimum);

}  // namespace softfeb::roce
