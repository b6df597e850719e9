// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::conformance {

/// A frame on the way between the boards of a traffic run and the target, in either direction.
struct FaultFrame {
  std::vector<std::uint8_t> bytes;
  std::uint16_t payload = 0;  ///< for a request: offset of the payload in `bytes`
  std::uint32_t length = 0;   ///< bytes of payload, without pad
  std::uint64_t offset = 0;   ///< offset of the payload in the first region; UINT64_MAX for a retransmission
  bool changed = false;       ///< a fault rule changed bytes of the frame
  bool copied = false;        ///< the frame is a copy that a fault rule made
};

/// Creates the frames that faults::RuleActions changes, copies and holds. Reuses the memory of released
/// frames.
class FaultFrames {
 public:
  using Packet = FaultFrame*;

  /// Returns an empty frame.
  FaultFrame* take();
  FaultFrame* copy(const FaultFrame* frame);
  static MutableByteSpan writable(FaultFrame* frame) { return frame->bytes; }
  static void edited(FaultFrame* frame, std::size_t size) {
    frame->bytes.resize(size);
    frame->changed = true;
  }
  static bool prepare_hold(const FaultFrame* /*frame*/) { return true; }
  void release(FaultFrame* frame) { free_.push_back(frame); }

 private:
  std::deque<FaultFrame> frames_;
  std::vector<FaultFrame*> free_;
};

}  // namespace softfeb::conformance
