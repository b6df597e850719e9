// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstdint>

namespace softfeb::fabric {

/// A frame on its way through a network. Whoever makes one (FrameStore) keeps its bytes; the network moves
/// it, reads and writes its first `header_length` bytes, and gives it back.
struct Frame {
  Frame* next = nullptr;  ///< of the list it stands in: whoever holds it uses it
  std::uint8_t* header =
      nullptr;  ///< this frame's own, not shared: Ethernet to the end of BTH at least, where it has one
  std::uint16_t header_length = 0;
  std::uint32_t length = 0;  ///< of the whole frame, Ethernet to iCRC, without FCS
  Time at = 0;               ///< the network's: when it arrives where it is going
  std::uint32_t flow =
      0;  ///< the network's, until it leaves: what it read in the header and where it is accounted
  std::uint16_t ingress = 0;
  std::uint16_t egress = 0;
  std::uint8_t queue = 0;
  std::uint8_t flags = 0;
};

/// Makes and keeps frames: of a pool in virtual time, of mbufs in real time. No call allocates in steady
/// state; null means that there is no room now.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  /// A frame of the network itself (pause, forged CNP) with these bytes (at most 128).
  virtual Frame* make(ByteSpan bytes) = 0;
  /// The same bytes once more, independent of the first.
  virtual Frame* copy(const Frame& frame) = 0;
  /// Flips one bit behind the Ethernet header, chosen by `random`, in this frame alone: what it shares with
  /// others is copied first. False when there is no room for that.
  virtual bool corrupt(Frame& frame, std::uint64_t random) = 0;
  virtual void release(Frame* frame) = 0;
};

}  // namespace softfeb::fabric
