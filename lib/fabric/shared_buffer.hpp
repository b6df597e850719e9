// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/egress_memory.hpp"
#include "fabric/frame.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::fabric {

/// Number of bytes that one ingress port occupies in a switch's buffer, by class. With MemoryConfig::cell,
/// these are the bytes of cells. With PFC, the class is the frame's queue. With 802.3x or without flow
/// control, the class is always 0.
struct IngressAccount {
  std::array<std::uint64_t, kQueues> bytes{};     ///< bytes in the shared buffer and in the headroom
  std::array<std::uint64_t, kQueues> headroom{};  ///< the part of `bytes` in the headroom
};

/// The packet buffer of a switch. A frame occupies space from the arrival of its last bit until its first bit
/// leaves. A frame is stored in the shared part if the limits of its egress port and queue permit.
/// Otherwise it is stored in the headroom of its ingress port, if that port can pause the sender. With
/// EgressMemory, each egress queue has a minimum that it does not share, and a frame occupies cells.
class SharedBuffer {
 public:
  SharedBuffer(const SwitchConfig& config, std::size_t ports);

  /// The frame's egress port in this switch (0, 1, …), and the bytes already queued at this port and queue.
  struct Egress {
    std::size_t port = 0;
    std::uint64_t port_bytes = 0;
    std::uint64_t queue_bytes = 0;
  };
  /// Admits a frame from port `ingress` of this switch (0, 1, …). Returns false if there is no room.
  /// `has_headroom` is true if the sender can be paused.
  bool admit(Frame& frame, std::size_t ingress, std::uint8_t ingress_class, bool has_headroom,
             const Egress& egress);
  void release(Frame& frame, std::size_t ingress, std::uint8_t ingress_class, std::size_t egress_port);

  const IngressAccount& account(std::size_t ingress) const { return accounts_[ingress]; }
  std::uint64_t free() const { return size_ - used_; }  ///< unused bytes of the shared part

 private:
  bool shared_takes(const MemoryClaim& claim) const;

  std::uint64_t size_;
  std::uint64_t port_limit_;
  std::uint64_t alpha_;
  std::uint64_t headroom_;
  std::uint64_t headroom_pool_;
  std::uint64_t headroom_used_ = 0;
  std::optional<EgressMemory> memory_;  ///< only if EgressMemory::needed()
  std::uint64_t used_ = 0;
  std::vector<IngressAccount> accounts_;
};

}  // namespace softfeb::fabric
