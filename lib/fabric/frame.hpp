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
  std::uint32_t length = 0;  ///< of the whole frame, Ethernet to iCRC, without FCS
  std::uint16_t header_length = 0;

  // The network's, from send() until it is delivered or given back: what it read in the header once, and
  // where it is accounted (fabric/facts.hpp).
  std::uint16_t ingress = 0;  ///< port of the switch it is in
  Time at = 0;  ///< when its last bit arrives where it is going; in a station's row, when it came there
  std::uint32_t flow = 0;
  std::uint32_t destination = 0;  ///< station
  std::uint8_t queue = 0;         ///< in the switch it is in
  std::uint8_t dscp = 0;
  std::uint8_t pcp = 0;
  std::uint8_t facts = 0;
};

/// What the network knows about `from`, for its copy.
inline void copy_facts(const Frame& from, Frame& to) {
  to.ingress = from.ingress;
  to.flow = from.flow;
  to.destination = from.destination;
  to.queue = from.queue;
  to.dscp = from.dscp;
  to.pcp = from.pcp;
  to.facts = from.facts;
}

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
