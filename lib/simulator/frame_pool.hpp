// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "engine/tx_frame.hpp"
#include "fabric/frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softfeb::simulator {

/// A frame in virtual time. It owns its headers and trailer and refers to its payload.
struct PoolFrame : fabric::Frame {
  const std::uint8_t* payload = nullptr;
  std::uint32_t payload_length = 0;
  std::uint8_t trailer_length = 0;
  /// True if the sender has computed the iCRC, and the fields that the iCRC covers have not been changed
  /// since.
  bool icrc_right = false;
  std::array<std::uint8_t, 8> trailer{};
  std::array<std::uint8_t, engine::TxFrame::kHeaderRoom> room{};
  std::unique_ptr<std::uint8_t[]> own;  ///< buffer for payload that this frame owns; kept for reuse
  std::uint32_t own_size = 0;
  /// Buffer for all bytes of the frame in one piece; kept for reuse. It is in use if `header` points to it.
  std::unique_ptr<std::uint8_t[]> whole;
  std::uint32_t whole_size = 0;

  /// All bytes of the frame: headers, payload and trailer.
  Segments segments() const;
};

/// A pool of frames in virtual time. Frames refer to their payload and do not copy it, unless the payload is
/// transient (TxFrame::transient_payload) or has been changed. The pool grows with the number of frames in
/// flight, up to a limit.
class FramePool : public fabric::FrameStore {
 public:
  static constexpr std::size_t kMost = 1U << 20;

  /// Maximum number of frames in the pool for a network with this number of stations. Before traffic begins,
  /// each station may flood an ARP request to all others, so large networks need more than kMost frames.
  static constexpr std::size_t limit_for(std::size_t stations) {
    return std::max(kMost, std::min(4 * kMost, 2 * stations * stations));
  }

  explicit FramePool(std::size_t most = kMost) : most_(most) {}

  /// Returns an empty frame, or null if the pool has reached its limit.
  PoolFrame* acquire();
  /// Fills `frame` from the engine's output. `out.header` must point into `frame.room`.
  static void fill(PoolFrame& frame, const engine::TxFrame& out);

  /// Returns a frame with these headers and this payload. The caller must set the other members of the frame.
  /// The headers are copied. If `copies` is true, the payload is copied too; otherwise, it must outlive the
  /// frame. Returns null if the pool has reached its limit.
  PoolFrame* restore(ByteSpan header, ByteSpan payload, bool copies);
  /// Returns the error message for a network that has more frames in flight than the limit of the pool.
  std::string full_text() const;

  fabric::Frame* make(ByteSpan bytes) override;
  fabric::Frame* copy(const fabric::Frame& frame) override;
  bool corrupt(fabric::Frame& frame, std::uint64_t random) override;
  MutableByteSpan writable(fabric::Frame& frame) override;
  void shorten(fabric::Frame& frame, std::uint32_t length) override;
  void release(fabric::Frame* frame) override;

  /// Number of frames that are not in the free list.
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

}  // namespace softfeb::simulator
