// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/shared_buffer.hpp"

#include "base/uint128.hpp"
#include "fabric/facts.hpp"

namespace softfeb::fabric {

SharedBuffer::SharedBuffer(const SwitchConfig& config, std::size_t ports)
    : size_(config.buffer),
      port_limit_(config.port_limit == 0 ? UINT64_MAX : config.port_limit),
      alpha_(config.dynamic_alpha),
      headroom_(config.pause.headroom),
      headroom_pool_(config.pause.headroom_pool == 0 ? UINT64_MAX : config.pause.headroom_pool),
      accounts_(ports) {
  if (EgressMemory::needed(config)) memory_.emplace(config, ports);
}

/// Applies the port limit and the dynamic threshold of Choudhury and Hahne (1998). Neither applies to a frame
/// that fits into the minimum of its queue.
bool SharedBuffer::shared_takes(const MemoryClaim& claim) const {
  if (claim.shared == 0) return true;
  const std::uint64_t free = size_ - used_;
  if (claim.shared > free || claim.port_bytes + claim.shared > port_limit_) return false;
  return alpha_ == 0 || Uint128{claim.queue_bytes + claim.shared} * 256 <= Uint128{alpha_} * free;
}

bool SharedBuffer::admit(Frame& frame, std::size_t ingress, std::uint8_t ingress_class, bool has_headroom,
                         const Egress& egress) {
  IngressAccount& account = accounts_[ingress];
  MemoryClaim claim{frame.length, frame.length, egress.port_bytes, egress.queue_bytes};
  if (memory_) claim = memory_->claim(frame.length, egress.port, frame.queue);
  if (shared_takes(claim)) {
    used_ += claim.shared;
    frame.facts &= static_cast<std::uint8_t>(~kFactHeadroom);
  } else if (has_headroom && account.headroom[ingress_class] + claim.bytes <= headroom_ &&
             headroom_used_ + claim.bytes <= headroom_pool_) {
    account.headroom[ingress_class] += claim.bytes;
    headroom_used_ += claim.bytes;
    frame.facts |= kFactHeadroom;
  } else {
    return false;
  }
  account.bytes[ingress_class] += claim.bytes;
  if (memory_) memory_->add(claim.bytes, egress.port, frame.queue, (frame.facts & kFactHeadroom) != 0);
  return true;
}

void SharedBuffer::release(Frame& frame, std::size_t ingress, std::uint8_t ingress_class,
                           std::size_t egress_port) {
  IngressAccount& account = accounts_[ingress];
  const bool headroom = (frame.facts & kFactHeadroom) != 0;
  std::uint64_t bytes = frame.length;
  std::uint64_t shared = headroom ? 0 : bytes;
  if (memory_) {
    bytes = memory_->occupied(frame.length);
    shared = memory_->remove(bytes, egress_port, frame.queue, headroom);
  }
  used_ -= shared;
  account.bytes[ingress_class] -= bytes;
  if (!headroom) return;
  account.headroom[ingress_class] -= bytes;
  headroom_used_ -= bytes;
  frame.facts &= static_cast<std::uint8_t>(~kFactHeadroom);
}

}  // namespace softfeb::fabric
