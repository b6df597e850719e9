// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/fault_frames.hpp"

namespace softfeb::conformance {

FaultFrame* FaultFrames::take() {
  if (free_.empty()) return &frames_.emplace_back();
  FaultFrame* const frame = free_.back();
  free_.pop_back();
  frame->bytes.clear();
  frame->payload = 0;
  frame->length = 0;
  frame->offset = 0;
  frame->changed = frame->copied = false;
  return frame;
}

FaultFrame* FaultFrames::copy(const FaultFrame* frame) {
  FaultFrame* const out = take();
  *out = *frame;
  out->copied = true;
  return out;
}

}  // namespace softfeb::conformance
