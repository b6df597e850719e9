// SPDX-License-Identifier: BSD-3-Clause
#include "frame_check.hpp"

#include <cstring>

namespace softfeb::febctl {

namespace {

constexpr std::size_t kWord = 8;

bool counts(ByteSpan frame) {
  for (std::size_t k = 1; k < frame.size() / kWord; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, &frame[k * kWord], kWord);
    if (word != k) return false;
  }
  return true;
}

}  // namespace

void FrameCheck::on_frame(ByteSpan frame) {
  ++frames_;
  const bool length =
      !frame.empty() && frame.size() % kWord == 0 && (words_ == 0 || frame.size() == words_ * kWord);
  if (!length || !counts(frame)) ++wrong_frames_;
}

}  // namespace softfeb::febctl
