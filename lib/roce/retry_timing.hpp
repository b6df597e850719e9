// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Timer rules and constants of a requester (doc/retransmission.md).
enum class TimingProfile : std::uint8_t {
  /// 4.096 µs·2^t. The timer starts when a packet that requests an ACK has been sent, and is restarted by
  /// progress.
  kStandard,
  /// The board's firmware: periods are counted in clocks assumed to last 6 ns, which last 6.4 ns (×1.067).
  /// The timer runs while anything is unacknowledged, and is restarted by any well-formed response and by
  /// retries.
  kFirmware,
};

/// Time without progress after which a requester goes back, for timeout code `code` (IBA 9.7.6.1.3; 0…31).
/// kNever for code 0.
Time ack_timeout(TimingProfile profile, std::uint8_t code);

/// The wait requested by an RNR NAK with this timer code (IBA table 45; 0…31).
Time rnr_wait(std::uint8_t timer_code);

/// The wait after an RNR NAK if the requester has a minimum of its own. Standard profile: the longer of the
/// two waits. Firmware profile: the wait of the greater code. Codes are compared as numbers, so code 0 (the
/// longest wait) gives way to any other code.
Time rnr_wait(TimingProfile profile, std::uint8_t timer_code, std::uint8_t own_minimum);

}  // namespace softfeb::roce
