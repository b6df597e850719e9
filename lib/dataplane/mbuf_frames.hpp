// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/mempools.hpp"
#include "fabric/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// The frames of a network in real time: each stands for an mbuf, whose first segment is the frame's header.
/// For one worker; nothing is allocated, but from pools, after construction.
class MbufFrames final : public fabric::FrameStore {
 public:
  /// `count` frames; of them adopt() leaves kReserve to what the network makes itself. `frame_bytes`:
  /// longest frame, for copies.
  MbufFrames(std::size_t count, std::uint32_t frame_bytes, unsigned lcores, Mempools& pools, int socket = -1);
  static constexpr std::size_t kReserve = 256;

  /// Frames that adopt() may still give.
  std::size_t room() const { return free_count_ > kReserve ? free_count_ - kReserve : 0; }
  /// A frame for a received packet, which is the frame's from then on. A packet whose headers are not in one
  /// piece, or not its own, is copied first. Null, the packet untouched: no room, or shorter than an Ethernet
  /// header.
  fabric::Frame* adopt(rte_mbuf* packet);
  static rte_mbuf* packet_of(const fabric::Frame* frame) {
    return static_cast<const MbufFrame*>(frame)->packet;
  }
  /// The packet of a frame that is given back with this.
  rte_mbuf* take(fabric::Frame* frame);

  fabric::Frame* make(ByteSpan bytes) override;
  fabric::Frame* copy(const fabric::Frame& frame) override;
  bool corrupt(fabric::Frame& frame, std::uint64_t random) override;
  void release(fabric::Frame* frame) override;

 private:
  struct MbufFrame : fabric::Frame {
    rte_mbuf* packet = nullptr;
  };

  static void point(MbufFrame& frame, rte_mbuf* packet);
  MbufFrame* get();

  std::unique_ptr<MbufFrame[]> frames_;
  fabric::Frame* free_ = nullptr;
  std::size_t free_count_ = 0;
  rte_mempool* made_;
  rte_mempool* copies_;
};

}  // namespace softfeb::dataplane
