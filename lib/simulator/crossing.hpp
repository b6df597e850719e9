// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/archive.hpp"
#include "base/bytes.hpp"
#include "fabric/network.hpp"
#include "simulator/frame_pool.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace softfeb::simulator {

/// Converts frames on links between two parts of a network to bytes and back. The parts at both ends of a
/// link have the same payload memory, so only the position of a payload in this memory is passed on. All
/// other bytes of a frame are copied: headers, trailer, and payload that a fault has changed.
class CrossingCodec {
 public:
  /// `arena` is the payload memory, as a list of blocks. All processes that exchange frames must have the
  /// same bytes in the same blocks.
  explicit CrossingCodec(std::vector<ByteSpan> arena) : arena_(std::move(arena)) {}

  /// Appends the frame of `departure`, which must be a PoolFrame, to `out`.
  void write(const fabric::Network::Departure& departure, std::vector<std::uint8_t>& out) const;
  /// Returns the direction of the link on which the next frame travels (Departure::direction). Does not
  /// remove the frame.
  static std::uint32_t direction_of_next(ArchiveReader in);
  /// Reads the next frame into a frame of `pool`. Throws std::runtime_error if the pool is full.
  fabric::Network::Departure read(ArchiveReader& in, FramePool& pool) const;

 private:
  struct Place {
    std::uint32_t block = kNoBlock;
    std::uint64_t offset = 0;
  };
  static constexpr std::uint32_t kNoBlock = UINT32_MAX;
  struct Record;

  Place place_of(const std::uint8_t* payload, std::uint32_t length) const;

  std::vector<ByteSpan> arena_;
};

}  // namespace softfeb::simulator
