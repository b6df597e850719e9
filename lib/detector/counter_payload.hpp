// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_payload.hpp"
#include "detector/fragment_sizes.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::detector {

/// Payload kind `counter`: byte k of a board's data is (event + board + k) mod 256. The memory holds the
/// largest possible data of a board plus one period, so the bytes of every event are contiguous there.
class CounterPayload final : public EventPayload {
 public:
  /// EventPayload::Shape describes `piece` and `largest`. Throws std::invalid_argument if sizes.min exceeds
  /// sizes.max.
  CounterPayload(const FragmentSizes& sizes, std::uint32_t piece, std::uint32_t largest);

  /// Moves the bytes to `memory`, for example to memory that is registered with a port. Throws
  /// std::invalid_argument if `memory` has fewer than memory_bytes() bytes. Call before any other thread uses
  /// this object.
  void move_to(MutableByteSpan memory);
  std::size_t memory_bytes() const { return bytes_.size(); }

  std::uint32_t size(std::uint64_t event, std::uint32_t board) const override {
    return sizes_.at(event, board);
  }
  const std::uint8_t* bytes(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                            std::uint32_t length) const override;
  std::uint32_t crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                    std::uint32_t length) const override;

 private:
  static constexpr std::size_t kPeriod = 256;
  /// CRCs of all ranges with the same length, indexed by the value of a range's first byte.
  struct Prepared {
    std::uint32_t length = 0;
    std::array<std::uint32_t, kPeriod> crc{};
  };

  void prepare(std::uint32_t length);

  FragmentSizes sizes_;
  std::vector<std::uint8_t> own_;
  ByteSpan bytes_;
  std::vector<Prepared> prepared_;
};

}  // namespace softfeb::detector
