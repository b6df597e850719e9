// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/work.hpp"

#include <cstdint>
#include <memory>

namespace softfeb::roce {

/// A work request on its way. Packets are numbered without wrapping from 0 at the QP's first: packet n has
/// the PSN initial_psn + n modulo 2^24.
struct SendSlot {
  // What each packet needs comes first, close together.
  std::uint64_t first = 0;  ///< number of its first packet
  std::uint64_t payload_offset = 0;
  std::uint32_t packets = 0;  ///< 0 when it cannot be sent (unsupported verb)
  std::uint32_t length = 0;
  WrOpcode opcode = WrOpcode::kWrite;
  bool signaled = true;
  bool solicited = false;
  bool last_asks = false;  ///< AckReq on its last packet; fixed when that packet leaves first, so that
                           ///< resends are identical
  WcStatus status = WcStatus::kSuccess;
  std::uint64_t id = 0;
  std::uint64_t remote_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t immediate = 0;

  std::uint64_t end() const { return first + packets; }
};

/// Ring of work requests, allocated once, of exactly `depth` places. Indices run on without wrapping at the
/// ring's size; the owner keeps the ones that say how far sending and completing have come. It may ask for
/// those from `depth` behind the greatest it has reach()ed on.
class SendQueue {
 public:
  explicit SendQueue(std::uint32_t depth) : slots_(std::make_unique<SendSlot[]>(depth)), depth_(depth) {}

  SendSlot& operator[](std::uint32_t index) { return slots_[place(index)]; }
  const SendSlot& operator[](std::uint32_t index) const { return slots_[place(index)]; }

  /// Indices have come as far as this one, step by step.
  void reach(std::uint32_t index) {
    if (index - base_ == 2 * depth_) base_ += depth_;
  }
  /// They begin at 0 again.
  void restart() { base_ = 0; }

 private:
  /// `index` is less than 2 · depth_ ahead of base_, so that one subtraction finds its place.
  std::uint32_t place(std::uint32_t index) const {
    const std::uint32_t ahead = index - base_;
    return ahead < depth_ ? ahead : ahead - depth_;
  }

  std::unique_ptr<SendSlot[]> slots_;
  std::uint32_t depth_;
  std::uint32_t base_ = 0;
};

}  // namespace softfeb::roce
