// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_payload.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::detector {

/// A pool of images of a detector, built once and sent again and again. An image is what all boards send in
/// one event. Each piece of it has a prepared CRC.
class PayloadPool final : public EventPayload {
 public:
  enum class Order : std::uint8_t {
    kScattered,  ///< event e shows image (e · 0x9E3779B1 mod 2^32) mod images
    kInOrder,    ///< event e shows image e mod images
  };
  /// The boards whose data the pool holds. A process that simulates a few boards of a large camera needs only
  /// these.
  struct Boards {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
  };
  /// Appends the data of `board` in `image` to `out`. Called once for each of them, images first.
  using Draw = std::function<void(std::uint32_t image, std::uint32_t board, std::vector<std::uint8_t>& out)>;

  /// `images` and the number of boards must be at least 1. Takes time: draws the whole pool.
  PayloadPool(const Shape& shape, std::uint32_t images, Boards boards, Order order, const Draw& draw);

  /// Moves the bytes to `memory`, such as memory that is registered with a port; needs memory_bytes(). Call
  /// before any other thread uses this object. Throws std::invalid_argument if it is too small.
  void move_to(MutableByteSpan memory);
  std::size_t memory_bytes() const { return bytes_.size(); }

  std::uint32_t images() const { return images_; }
  std::uint32_t image_of(std::uint64_t event) const;

  /// 0 for a board that the pool does not hold.
  std::uint32_t size(std::uint64_t event, std::uint32_t board) const override;
  const std::uint8_t* bytes(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                            std::uint32_t length) const override;
  std::uint32_t crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                    std::uint32_t length) const override;

 private:
  /// The data of one board in one image.
  struct Entry {
    std::uint64_t at = 0;  ///< of the first byte
    std::uint32_t size = 0;
    std::uint32_t crcs = 0;  ///< index of the CRC of the first piece
  };

  const Entry* find(std::uint64_t event, std::uint32_t board) const;
  void prepare(Entry& entry);

  std::uint32_t images_;
  Boards boards_;
  Order order_;
  std::vector<std::uint8_t> own_;
  ByteSpan bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> crcs_;
};

}  // namespace softfeb::detector
