// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_header.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::detector {

/// Where the data of events are placed in the memory of builders. Boards and receivers compute it from the
/// same numbers.
///
/// Event e goes to builder e mod `builders`. There, each of `slots` events has a slot of `slot` bytes for
/// each board, so that an event is contiguous. Data longer than `piece` bytes are split; each piece has a
/// header of its own and is one WRITE.
struct EventLayout {
  std::uint32_t boards = 1;
  std::uint32_t builders = 1;      ///< at least 1
  std::uint64_t slots = 256;       ///< at least 1
  std::uint32_t slot = 32 * 1024;  ///< bytes, at least kEventHeaderSize
  std::uint32_t piece = 8 * 1024;  ///< payload bytes, at least 1

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
  /// Pieces of `total` bytes: at least one, because an empty payload also has a header.
  constexpr std::uint32_t pieces_of(std::uint32_t total) const {
    return total == 0 ? 1 : (total - 1) / piece + 1;
  }
  /// Payload bytes of piece `j` of `total` bytes.
  constexpr std::uint32_t piece_length(std::uint32_t j, std::uint32_t total) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(piece, total - std::uint64_t{j} * piece));
  }
  /// Most payload bytes that fit in a slot. Boards cut longer data.
  constexpr std::uint32_t largest() const {
    const std::uint64_t step = std::uint64_t{piece} + kEventHeaderSize;
    const std::uint64_t rest = slot % step;
    return static_cast<std::uint32_t>(slot / step * piece +
                                      (rest > kEventHeaderSize ? rest - kEventHeaderSize : 0));
  }
  /// Memory of one builder in bytes.
  constexpr std::uint64_t memory() const { return slots * boards * slot; }
};

}  // namespace softfeb::detector
