// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::board {

/// The board's generator of stream frames (AppTx.vhd): frames of FrameSize 64-bit little-endian words (0
/// counts as 1), of which the first is the frame's number in its burst and word k the number k. Whoever sends
/// the stream pulls. Sans-I/O.
class AppTx {
 public:
  struct Filled {
    std::size_t bytes = 0;
    bool last = false;  ///< the frame ends here
  };

  // Registers. FrameSize and SendFrame are looked at when a burst begins.
  void set_frame_size(std::uint32_t words) { frame_size_ = words; }
  void send_frames(std::uint32_t frames) { send_frames_ = frames; }
  /// Frame after frame, each a burst of its own, until it is false again.
  void set_continuous(bool on) { continuous_ = on; }
  std::uint32_t frame_count() const { return frame_count_; }
  std::uint32_t word_count() const { return word_count_; }

  /// There is something to send.
  bool ready() const { return moving_ || send_frames_ != 0 || continuous_; }
  /// The next bytes of the stream: whole words, so many as fit into `out` and belong to one frame. Zero bytes
  /// when not ready, or when `out` is shorter than a word.
  Filled fill(MutableByteSpan out);
  /// The frame that is on its way cannot be completed (the link is gone): it begins again.
  void restart_frame() { word_count_ = 0; }

 private:
  void begin();

  std::uint32_t frame_size_ = 0x1ffff;
  std::uint32_t send_frames_ = 0;
  bool continuous_ = false;
  bool moving_ = false;
  std::uint32_t frame_count_ = 0;
  std::uint32_t last_frame_ = 0;
  std::uint32_t word_count_ = 0;
  std::uint32_t last_word_ = 0;
};

}  // namespace softfeb::board
