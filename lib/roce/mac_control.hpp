// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "base/time.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstdint>
#include <optional>

/// MAC control frames (IEEE 802.3 Clause 31): what stops a sender.
namespace softfeb::roce {

inline constexpr std::uint16_t kEtherTypeMacControl = 0x8808;
inline constexpr std::uint16_t kOpcodePause = 0x0001;  ///< IEEE 802.3 Annex 31B
inline constexpr std::uint16_t kOpcodePfc = 0x0101;    ///< IEEE 802.3 Annex 31D, 802.1Qbb
inline constexpr std::size_t kPriorities = 8;
/// The group address of pause frames; no bridge forwards it.
inline constexpr MacAddress kPauseAddress{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
/// The frame without FCS: padded to the shortest there is.
inline constexpr std::size_t kMacControlSize = 60;

struct MacControl {
  enum class Kind : std::uint8_t { kPause, kPfc };
  Kind kind = Kind::kPause;
  std::uint8_t enabled = 0;  ///< PFC: priorities whose quanta count, by bit
  /// Times of 512 bits each; 0 ends a pause. Of the link (kPause) in the first.
  std::array<std::uint16_t, kPriorities> quanta{};

  bool operator==(const MacControl&) const = default;
};

/// What follows the EtherType; nothing when it is too short for its opcode, or the opcode is another one.
std::optional<MacControl> parse_mac_control(const Segments& content);

/// A frame from `source` to `dest`, kPauseAddress or the individual address of a station.
std::array<std::uint8_t, kMacControlSize> write_mac_control(const MacAddress& source, const MacAddress& dest,
                                                            const MacControl& control);

/// How long `quanta` are on a link of `rate` bytes per second, not 0.
constexpr Time pause_time(std::uint16_t quanta, std::uint64_t rate) {
  return Time{quanta} * 64 * kSecond / rate;
}

}  // namespace softfeb::roce
