// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "engine/tx_frame.hpp"
#include "fabric/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::lab {

/// A frame in virtual time: headers and trailer of its own, the payload where its maker has it.
struct PoolFrame : fabric::Frame {
  const std::uint8_t* payload = nullptr;
  std::uint32_t payload_length = 0;
  std::uint8_t trailer_length = 0;
  std::array<std::uint8_t, 8> trailer{};
  std::array<std::uint8_t, engine::TxFrame::kHeaderRoom> room{};
  std::unique_ptr<std::uint8_t[]> own;  ///< a payload that this frame alone has; kept for the next
  std::uint32_t own_size = 0;

  /// All of it, in order.
  Segments segments() const;
};

/// Frames of virtual time. Payload is referred to, not copied, except where it is not to be relied upon or
/// where a bit of it is flipped. Grows to what is under way at once, up to a limit.
class FramePool : public fabric::FrameStore {
 public:
  static constexpr std::size_t kMost = 1U << 20;

  explicit FramePool(std::size_t most = kMost) : most_(most) {}

  /// An empty frame; null beyond the limit.
  PoolFrame* acquire();
  /// Makes `frame` what the engine wrote; `out.header` is the frame's room.
  static void fill(PoolFrame& frame, const engine::TxFrame& out);

  fabric::Frame* make(ByteSpan bytes) override;
  fabric::Frame* copy(const fabric::Frame& frame) override;
  bool corrupt(fabric::Frame& frame, std::uint64_t random) override;
  void release(fabric::Frame* frame) override;

  /// Frames that somebody has.
  std::size_t in_use() const { return made_ - free_; }

 private:
  static constexpr std::size_t kBlock = 1024;

  bool grow();

  std::size_t most_;
  std::vector<std::unique_ptr<std::array<PoolFrame, kBlock>>> blocks_;
  fabric::Frame* first_ = nullptr;
  std::size_t made_ = 0;
  std::size_t free_ = 0;
};

}  // namespace softfeb::lab
