// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::fabric {

/// MAC control frames that stop a sender: IEEE 802.3 annex 31B (802.3x, all of the link) and annex 31D (PFC,
/// by priority).
inline constexpr std::uint16_t kPauseOpcode = 0x0001;
inline constexpr std::uint16_t kPfcOpcode = 0x0101;
/// Shortest frame, without FCS.
inline constexpr std::size_t kPauseFrameSize = 60;
/// To whoever is at the other end of the link; never forwarded.
inline constexpr roce::MacAddress kPauseAddress{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

struct PauseFrame {
  PauseKind kind = PauseKind::kOff;             ///< kPause or kPfc
  std::uint8_t classes = 0;                     ///< that PFC speaks of, bit by bit
  std::array<std::uint16_t, kQueues> quanta{};  ///< [0] alone for kPause
};

using PauseBytes = std::array<std::uint8_t, kPauseFrameSize>;
PauseBytes encode_pause(const PauseFrame& pause, const roce::MacAddress& to, const roce::MacAddress& from);

/// Takes a MAC control frame apart that may carry an 802.1Q tag; nothing when it is cut short or of another
/// opcode.
std::optional<PauseFrame> decode_pause(ByteSpan frame);

}  // namespace softfeb::fabric
