// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_header.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::detector {

/// Defines where event data are placed in the memory of builders. Boards and receivers compute the addresses
/// from the same numbers.
///
/// Builder e mod `builders` builds event e. Its memory has room for `slots` events. In each event,
/// every board has a slot of `slot` bytes, and the slots of an event are adjacent. Data longer than `piece`
/// bytes are split into pieces. Each piece has its own header and is sent as one WRITE.
struct EventLayout {
  std::uint32_t boards = 1;
  std::uint32_t builders = 1;      ///< number of builders, at least 1
  std::uint64_t slots = 256;       ///< number of events that fit in a builder's memory, at least 1
  std::uint32_t slot = 32 * 1024;  ///< bytes of a slot, at least kEventHeaderSize
  std::uint32_t piece = 8 * 1024;  ///< payload bytes of a piece, at least 1

  constexpr std::uint32_t builder_of(std::uint64_t event) const {
    return static_cast<std::uint32_t>(event % builders);
  }
  /// Offset of the board's slot in the memory of the event's builder.
  constexpr std::uint64_t address_of(std::uint64_t event, std::uint32_t board) const {
    return (event / builders % slots * boards + board) * slot;
  }
  /// Offset of the header of piece `j` in the slot.
  constexpr std::uint64_t piece_address(std::uint32_t j) const {
    return std::uint64_t{j} * (std::uint64_t{piece} + kEventHeaderSize);
  }
  /// Number of pieces that carry `total` bytes. It is at least 1, because an empty payload also has a header.
  constexpr std::uint32_t pieces_of(std::uint32_t total) const {
    return total == 0 ? 1 : (total - 1) / piece + 1;
  }
  /// Number of payload bytes in piece `j` of data with `total` bytes.
  constexpr std::uint32_t piece_length(std::uint32_t j, std::uint32_t total) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(piece, total - std::uint64_t{j} * piece));
  }
  /// Maximum number of payload bytes that fit in a slot. Boards truncate longer data.
  constexpr std::uint32_t largest() const {
    const std::uint64_t step = std::uint64_t{piece} + kEventHeaderSize;
    const std::uint64_t rest = slot % step;
    return static_cast<std::uint32_t>(slot / step * piece +
                                      (rest > kEventHeaderSize ? rest - kEventHeaderSize : 0));
  }
  /// Size of one builder's memory in bytes.
  constexpr std::uint64_t memory() const { return slots * boards * slot; }
};

}  // namespace softfeb::detector
