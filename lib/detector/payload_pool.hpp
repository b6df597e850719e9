// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_payload.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::detector {

/// A pool of detector images, built once and sent repeatedly. An image consists of the data that all boards
/// send for one event. Each piece of the data has a precomputed CRC.
class PayloadPool final : public EventPayload {
 public:
  enum class Order : std::uint8_t {
    kScattered,  ///< event e uses image (e · 0x9E3779B1 mod 2^32) mod images
    kInOrder,    ///< event e uses image e mod images
  };
  /// The boards whose data the pool contains. A process that simulates a few boards of a large camera needs
  /// only these boards.
  struct Boards {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
  };
  /// Appends the data of `board` in `image` to `out`. Called once for each board and image. All calls for an
  /// image precede the calls for the next image.
  using Draw = std::function<void(std::uint32_t image, std::uint32_t board, std::vector<std::uint8_t>& out)>;

  /// Throws std::invalid_argument if `images`, the number of boards or shape.piece is 0. The constructor
  /// generates the whole pool, which takes time.
  PayloadPool(const Shape& shape, std::uint32_t images, Boards boards, Order order, const Draw& draw);

  /// Moves the bytes to `memory`, for example to memory that is registered with a port. Throws
  /// std::invalid_argument if `memory` has fewer than memory_bytes() bytes. Call before any other thread uses
  /// this object.
  void move_to(MutableByteSpan memory);
  std::size_t memory_bytes() const { return bytes_.size(); }

  std::uint32_t images() const { return images_; }
  std::uint32_t image_of(std::uint64_t event) const;

  /// Returns 0 for a board that is not in the pool.
  std::uint32_t size(std::uint64_t event, std::uint32_t board) const override;
  const std::uint8_t* bytes(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                            std::uint32_t length) const override;
  std::uint32_t crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                    std::uint32_t length) const override;

 private:
  /// The data of one board in one image.
  struct Entry {
    std::uint64_t at = 0;  ///< position of the first byte in the pool
    std::uint32_t size = 0;
    std::uint32_t crcs = 0;  ///< index of the first piece's CRC
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
