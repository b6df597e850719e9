// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "base/time.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstdint>
#include <optional>

/// MAC control frames (IEEE 802.3 Clause 31), which pause a sender.
namespace softfeb::roce {

/// Kind of pause frames used for link-level flow control.
enum class PauseMode : std::uint8_t {
  kOff,
  /// IEEE 802.3x: pauses the whole link, as in the board's MAC (slaclab/surf, EthMacRxPause,
  /// EthMacTxPause).
  kPause,
  /// IEEE 802.1Qbb: pauses individual priorities. The PCP of a tagged frame or the DSCP of an untagged
  /// frame selects the priority.
  kPfc,
};

inline constexpr std::uint16_t kEtherTypeMacControl = 0x8808;
inline constexpr std::uint16_t kOpcodePause = 0x0001;  ///< IEEE 802.3 Annex 31B
inline constexpr std::uint16_t kOpcodePfc = 0x0101;    ///< IEEE 802.3 Annex 31D, 802.1Qbb
inline constexpr std::size_t kPriorities = 8;
/// Group address of pause frames; bridges do not forward frames to this address.
inline constexpr MacAddress kPauseAddress{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
/// Size of a MAC control frame in bytes, padded to the minimum frame size, without FCS.
inline constexpr std::size_t kMacControlSize = 60;

struct MacControl {
  enum class Kind : std::uint8_t { kPause, kPfc };
  Kind kind = Kind::kPause;
  std::uint8_t enabled = 0;  ///< PFC: bit i set means that quanta[i] is valid for priority i
  /// Pause times in units of 512 bit times; 0 ends a pause. kPause uses only quanta[0], for the whole link.
  std::array<std::uint16_t, kPriorities> quanta{};

  bool operator==(const MacControl&) const = default;
};

/// Parses `content`, which begins after the EtherType. Returns nullopt if `content` is too short for its
/// opcode, or if the opcode is neither pause nor PFC.
std::optional<MacControl> parse_mac_control(const Segments& content);

/// Builds a frame from `source` to `dest`, which is kPauseAddress or the individual address of a station.
std::array<std::uint8_t, kMacControlSize> write_mac_control(const MacAddress& source, const MacAddress& dest,
                                                            const MacControl& control);

/// Duration of `quanta` on a link of `rate` bytes per second; `rate` must not be 0.
constexpr Time pause_time(std::uint16_t quanta, std::uint64_t rate) {
  return Time{quanta} * 64 * kSecond / rate;
}

}  // namespace softfeb::roce
