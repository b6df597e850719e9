// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "latency/stamps.hpp"

#include <cstdint>

namespace softfeb::fabric {

/// A frame in the network. The FrameStore that created it owns its bytes. The network moves it, reads and
/// writes its first `header_length` bytes, and releases it.
struct Frame {
  /// Next frame of the list that contains this frame; for use by the owner of the list.
  Frame* next = nullptr;
  /// Contains at least the Ethernet header. If the frame has a BTH, `header` contains the BTH and everything
  /// before it, and thus also a congestion control header. Must not be shared with other frames, because
  /// switches write to it.
  std::uint8_t* header = nullptr;
  std::uint32_t length = 0;  ///< bytes of the whole frame, from the Ethernet header to the iCRC, without FCS
  std::uint16_t header_length = 0;

  /// Key of the message whose last packet this frame is, if the times of this message are recorded; otherwise
  /// 0. Copies of the frame do not have the key.
  latency::MessageKey message = 0;

  // The members below are private to the network from send() until the frame is delivered or released. They
  // contain accounting data, and header fields that were parsed once (fabric/facts.hpp).
  std::uint16_t ingress = 0;  ///< ingress port in the current switch
  /// Egress port in the current switch, if it is chosen before the frame is forwarded; otherwise
  /// Topology::kNoPort. Valid only while the switch delays the frame (PortDelays).
  std::uint16_t egress = 0;
  /// Arrival time of the last bit at the next node; for a frame in a station's queue, the time when it was
  /// queued.
  Time at = 0;
  std::uint32_t flow = 0;
  std::uint32_t destination = 0;  ///< station, or a constant of facts.hpp
  std::uint8_t queue = 0;         ///< egress queue in the current switch
  std::uint8_t dscp = 0;
  std::uint8_t pcp = 0;
  std::uint8_t facts = 0;
  std::uint8_t cch = 0;  ///< offset of the congestion control header in `header`; 0 if there is none
};

/// Copies the network's private members, except `egress` and `at`, from a frame to its copy.
inline void copy_facts(const Frame& from, Frame& to) {
  to.ingress = from.ingress;
  to.flow = from.flow;
  to.destination = from.destination;
  to.queue = from.queue;
  to.dscp = from.dscp;
  to.pcp = from.pcp;
  to.facts = from.facts;
  to.cch = from.cch;
}

/// Allocates frames, from a pool in virtual time and as mbufs in real time. No call allocates memory in
/// steady state. A null result means that the store is full.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  /// Makes a frame that the network itself sends (a pause frame or a forged CNP) from these bytes (at most
  /// 128).
  virtual Frame* make(ByteSpan bytes) = 0;
  /// Makes an independent copy of a frame.
  virtual Frame* copy(const Frame& frame) = 0;
  /// Flips one bit after the Ethernet header; `random` selects the bit. If other frames share the memory of
  /// this bit, this memory is copied first, so that only this frame changes. Returns false if there is no
  /// room for the copy, or if the frame has no bytes after the Ethernet header.
  virtual bool corrupt(Frame& frame, std::uint64_t random) = 0;
  /// Makes all bytes of the frame contiguous, from Frame::header on, and copies them first if other frames
  /// share them. Returns these bytes; the result is empty, and the frame unchanged, if there is no room.
  virtual MutableByteSpan writable(Frame& frame) = 0;
  /// Removes all bytes after the first `length`, which must be at least an Ethernet header and at most
  /// Frame::length. Requires that writable() has returned the bytes of the frame.
  virtual void shorten(Frame& frame, std::uint32_t length) = 0;
  virtual void release(Frame* frame) = 0;
};

}  // namespace softfeb::fabric
