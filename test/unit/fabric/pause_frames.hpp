// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric_fixture.hpp"
#include "roce/mac_control.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::test {

constexpr std::uint32_t kDataLength = 1082;           ///< bytes of a default DataFrame, without FCS
constexpr Time kDataWire = (kDataLength + 24) * 800;  ///< time of such a frame on the wire at 10 Gb/s

/// Returns an 802.3x pause frame.
inline std::vector<std::uint8_t> pause_frame(std::uint16_t quanta) {
  const auto bytes =
      roce::write_mac_control(mac_of(9), roce::kPauseAddress, {roce::MacControl::Kind::kPause, 0, {quanta}});
  return {bytes.begin(), bytes.end()};
}

/// Returns a PFC frame for the classes in the bit mask `classes`.
inline std::vector<std::uint8_t> pfc_frame(std::uint8_t classes, std::uint16_t quanta) {
  roce::MacControl pause{roce::MacControl::Kind::kPfc, classes, {}};
  pause.quanta.fill(quanta);
  const auto bytes = roce::write_mac_control(mac_of(9), roce::kPauseAddress, pause);
  return {bytes.begin(), bytes.end()};
}

/// Parses a pause frame that arrived at a station.
inline std::optional<roce::MacControl> pause_in(const std::vector<std::uint8_t>& frame) {
  return roce::parse_mac_control(ByteSpan(frame).subspan(roce::kEthernetSize));
}

}  // namespace softfeb::test
