// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>

namespace softfeb::febctl {

/// Frames of the board's generator (AppTx): little-endian words of 64 bits; word k holds k, the first one the
/// frame's number in its burst.
class FrameCheck {
 public:
  /// `words` of each frame; 0: not known.
  explicit FrameCheck(std::uint32_t words) : words_(words) {}

  void on_frame(ByteSpan frame);

  std::uint64_t frames() const { return frames_; }
  std::uint64_t wrong_frames() const { return wrong_frames_; }  ///< by content or length

 private:
  std::uint32_t words_;
  std::uint64_t frames_ = 0;
  std::uint64_t wrong_frames_ = 0;
};

}  // namespace softfeb::febctl
