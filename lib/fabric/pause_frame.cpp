// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/pause_frame.hpp"

#include "base/bytes.hpp"
#include "fabric/facts.hpp"

#include <algorithm>

namespace softfeb::fabric {

PauseBytes encode_pause(const PauseFrame& pause, const roce::MacAddress& to, const roce::MacAddress& from) {
  PauseBytes out{};
  std::copy(to.begin(), to.end(), &out[0]);
  std::copy(from.begin(), from.end(), &out[6]);
  store_be16(&out[12], kEtherTypeMacControl);
  if (pause.kind == PauseKind::kPause) {
    store_be16(&out[14], kPauseOpcode);
    store_be16(&out[16], pause.quanta[0]);
    return out;
  }
  store_be16(&out[14], kPfcOpcode);
  store_be16(&out[16], pause.classes);
  for (std::size_t c = 0; c < kQueues; ++c) store_be16(&out[18 + 2 * c], pause.quanta[c]);
  return out;
}

std::optional<PauseFrame> decode_pause(ByteSpan frame) {
  if (frame.size() < roce::kEthernetSize) return std::nullopt;
  std::size_t at = roce::kEthernetSize;
  if (load_be16(&frame[12]) == roce::kEtherTypeVlan) at += roce::kVlanTagSize;
  if (frame.size() < at + 4 || load_be16(&frame[at - 2]) != kEtherTypeMacControl) return std::nullopt;
  PauseFrame pause;
  const std::uint16_t opcode = load_be16(&frame[at]);
  if (opcode == kPauseOpcode) {
    pause.kind = PauseKind::kPause;
    pause.quanta[0] = load_be16(&frame[at + 2]);
    return pause;
  }
  if (opcode != kPfcOpcode || frame.size() < at + 4 + 2 * kQueues) return std::nullopt;
  pause.kind = PauseKind::kPfc;
  pause.classes = frame[at + 3];  // the upper byte is reserved
  for (std::size_t c = 0; c < kQueues; ++c) pause.quanta[c] = load_be16(&frame[at + 4 + 2 * c]);
  return pause;
}

}  // namespace softfeb::fabric
