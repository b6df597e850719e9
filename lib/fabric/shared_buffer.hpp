// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// What one ingress port has in a switch's buffer, by class: with PFC the frame's queue, with 802.3x (and
/// without flow control) class 0 alone.
struct IngressAccount {
  std::array<std::uint64_t, kQueues> bytes{};     ///< shared part and headroom
  std::array<std::uint64_t, kQueues> headroom{};  ///< of these in the headroom
};

/// The memory of a switch. A frame lies in it from its last bit's arrival until its first bit leaves. First
/// the part that all ports share is used, as far as the limits of the frame's way out let it; what finds no
/// place there and came through a port that can pause its sender goes into that port's headroom.
class SharedBuffer {
 public:
  SharedBuffer(const SwitchConfig& config, std::size_t ports);

  /// Where the frame is going, and how much waits there.
  struct Egress {
    std::uint64_t port_bytes = 0;
    std::uint64_t queue_bytes = 0;
  };
  /// Takes a frame in through `ingress` (port of this switch, 0…); false: no room. `has_headroom`: its sender
  /// can be paused.
  bool admit(Frame& frame, std::size_t ingress, std::uint8_t ingress_class, bool has_headroom,
             const Egress& egress);
  void release(Frame& frame, std::size_t ingress, std::uint8_t ingress_class);

  const IngressAccount& account(std::size_t ingress) const { return accounts_[ingress]; }
  std::uint64_t used() const { return used_; }  ///< of the shared part

 private:
  bool shared_takes(std::uint64_t length, const Egress& egress) const;

  std::uint64_t size_;
  std::uint64_t port_limit_;
  std::uint64_t alpha_;
  std::uint64_t headroom_;
  std::uint64_t used_ = 0;
  std::vector<IngressAccount> accounts_;
};

}  // namespace softfeb::fabric
