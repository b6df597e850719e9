// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/work.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

namespace softfeb::roce {

/// A work request on its way. Packets are numbered without wrapping from 0 at the QP's first: packet n has
/// the PSN initial_psn + n modulo 2^24.
struct SendSlot {
  std::uint64_t id = 0;
  std::uint64_t remote_address = 0;
  std::uint64_t payload_offset = 0;
  std::uint64_t first = 0;    ///< number of its first packet
  std::uint32_t packets = 0;  ///< 0 when it cannot be sent (unsupported verb)
  std::uint32_t length = 0;
  std::uint32_t rkey = 0;
  std::uint32_t immediate = 0;
  WrOpcode opcode = WrOpcode::kWrite;
  bool signaled = true;
  bool solicited = false;
  bool last_asks = false;  ///< AckReq on its last packet; fixed when that packet leaves first, so that
                           ///< resends are identical
  WcStatus status = WcStatus::kSuccess;

  std::uint64_t end() const { return first + packets; }
};

/// Ring of work requests, allocated once. Indices run on without wrapping at the ring's size; the owner keeps
/// the ones that say how far sending and completing have come.
class SendQueue {
 public:
  explicit SendQueue(std::uint32_t depth)
      : slots_(std::make_unique<SendSlot[]>(std::bit_ceil(depth))), mask_(std::bit_ceil(depth) - 1) {}

  SendSlot& operator[](std::uint32_t index) { return slots_[index & mask_]; }
  const SendSlot& operator[](std::uint32_t index) const { return slots_[index & mask_]; }

 private:
  std::unique_ptr<SendSlot[]> slots_;
  std::uint32_t mask_;
};

}  // namespace softfeb::roce
