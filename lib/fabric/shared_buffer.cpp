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
      accounts_(ports) {}

/// Applies the port limit and the dynamic threshold of Choudhury and Hahne (1998).
bool SharedBuffer::shared_takes(std::uint64_t length, const Egress& egress) const {
  const std::uint64_t free = size_ - used_;
  if (length > free || egress.port_bytes + length > port_limit_) return false;
  return alpha_ == 0 || Uint128{egress.queue_bytes + length} * 256 <= Uint128{alpha_} * free;
}

bool SharedBuffer::admit(Frame& frame, std::size_t ingress, std::uint8_t ingress_class, bool has_headroom,
                         const Egress& egress) {
  IngressAccount& account = accounts_[ingress];
  if (shared_takes(frame.length, egress)) {
    used_ += frame.length;
    frame.facts &= static_cast<std::uint8_t>(~kFactHeadroom);
  } else if (has_headroom && account.headroom[ingress_class] + frame.length <= headroom_) {
    account.headroom[ingress_class] += frame.length;
    frame.facts |= kFactHeadroom;
  } else {
    return false;
  }
  account.bytes[ingress_class] += frame.length;
  return true;
}

void SharedBuffer::release(Frame& frame, std::size_t ingress, std::uint8_t ingress_class) {
  IngressAccount& account = accounts_[ingress];
  account.bytes[ingress_class] -= frame.length;
  if ((frame.facts & kFactHeadroom) != 0) {
    account.headroom[ingress_class] -= frame.length;
    frame.facts &= static_cast<std::uint8_t>(~kFactHeadroom);
  } else {
    used_ -= frame.length;
  }
}

}  // namespace softfeb::fabric
