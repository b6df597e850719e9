// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softfeb::test {

/// Returns the byte at offset `at` of frame number `frame`.
inline std::uint8_t pattern_byte(std::uint64_t frame, std::size_t at) {
  return static_cast<std::uint8_t>(frame * 31 + at + at / 251);
}

/// A source that provides a given number of frames of one size.
class PatternSource final : public srp::FrameSource {
 public:
  explicit PatternSource(std::size_t frame_bytes) : first_frame_(frame_bytes) {
    for (std::size_t i = 0; i < frame_bytes; ++i) first_frame_[i] = pattern_byte(0, i);
  }

  bool ready(Time) override { return frames_left > 0; }
  Part fill(MutableByteSpan out, Time) override {
    const std::size_t n = std::min(out.size(), first_frame_.size() - at_);
    const std::uint8_t base = pattern_byte(frame_, 0);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(first_frame_[at_ + i] + base);
    filled += n;
    at_ += n;
    if (at_ < first_frame_.size()) return {n, false};
    next();
    return {n, true};
  }
  void abandon(Time) override {
    ++abandoned;
    next();
  }

  std::uint64_t frames_left = 0;
  std::uint64_t filled = 0;
  unsigned abandoned = 0;

 private:
  void next() {
    at_ = 0;
    ++frame_;
    --frames_left;
  }

  std::vector<std::uint8_t> first_frame_;
  std::size_t at_ = 0;
  std::uint64_t frame_ = 0;
};

/// Checks frames of a PatternSource. Derives the number of a frame from its first byte.
struct PatternCheck {
  std::uint64_t frames = 0;
  std::uint64_t wrong = 0;

  void take(ByteSpan f) {
    ++frames;
    const auto base = static_cast<std::uint8_t>(f[0] - pattern_byte(0, 0));
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f[i] == static_cast<std::uint8_t>(base + pattern_byte(0, i))) continue;
      ++wrong;
      return;
    }
  }
};

}  // namespace softfeb::test
