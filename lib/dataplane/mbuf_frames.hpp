// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/mempools.hpp"
#include "fabric/frame.hpp"
#include "roce/congestion_header.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Frame store of a simulated network that runs in real time. Each frame represents an mbuf, whose first
/// segment is the frame's header. Used by one worker. After construction, the store allocates only mbufs from
/// pools.
class MbufFrames final : public fabric::FrameStore {
 public:
  /// The store has `count` frames. adopt() leaves kReserve of them for frames that the network makes itself.
  /// A copy can have up to `frame_bytes` bytes. Frames to UDP port `cc_port` have a congestion control
  /// header, which counts as one of their headers. `held` is the number of copies of up to `frame_bytes`
  /// bytes that fault rules may hold.
  MbufFrames(std::size_t count, std::uint32_t frame_bytes, unsigned lcores, Mempools& pools, int socket = -1,
             std::uint16_t cc_port = roce::kCongestionUdpPort, std::uint32_t held = 0);
  static constexpr std::size_t kReserve = 256;

  /// Number of frames that adopt() can still provide.
  std::size_t room() const { return free_count_ > kReserve ? free_count_ - kReserve : 0; }
  /// Wraps a received packet in a frame, which then owns the packet. Copies the packet first if its headers
  /// are not contiguous, or if its first mbuf is shared or not direct. Returns null, and leaves the packet
  /// untouched, when no frame or buffer is free or the packet is shorter than an Ethernet header.
  fabric::Frame* adopt(rte_mbuf* packet);
  static rte_mbuf* packet_of(const fabric::Frame* frame) {
    return static_cast<const MbufFrame*>(frame)->packet;
  }
  /// Releases a frame and returns its packet to the caller.
  rte_mbuf* take(fabric::Frame* frame);

  fabric::Frame* make(ByteSpan bytes) override;
  fabric::Frame* copy(const fabric::Frame& frame) override;
  bool corrupt(fabric::Frame& frame, std::uint64_t random) override;
  MutableByteSpan writable(fabric::Frame& frame) override;
  void shorten(fabric::Frame& frame, std::uint32_t length) override;
  void release(fabric::Frame* frame) override;

 private:
  struct MbufFrame : fabric::Frame {
    rte_mbuf* packet = nullptr;
  };

  static void point(MbufFrame& frame, rte_mbuf* packet);
  MbufFrame* get();

  std::uint16_t cc_port_;
  std::unique_ptr<MbufFrame[]> frames_;
  fabric::Frame* free_ = nullptr;
  std::size_t free_count_ = 0;
  rte_mempool* made_;
  rte_mempool* copies_;
};

}  // namespace softfeb::dataplane
