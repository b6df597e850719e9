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

/// Converts frames on links between two parts of a network to bytes, and back. Both sides have the same
/// payload memory, so a payload that is in this memory is passed on as its place. All other bytes of a frame
/// are copied: headers, trailer, and a payload that a fault has changed.
class CrossingCodec {
 public:
  /// `arena`: payload memory, block by block. Must contain the same bytes in the same blocks on both sides.
  explicit CrossingCodec(std::vector<ByteSpan> arena) : arena_(std::move(arena)) {}

  /// Appends the frame of `departure`, which must be a PoolFrame.
  void write(const fabric::Network::Departure& departure, std::vector<std::uint8_t>& out) const;
  /// Direction in which the next frame travels. The frame remains in `in`.
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
