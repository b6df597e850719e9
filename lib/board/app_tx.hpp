// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::board {

/// The board's stream frame generator (AppTx.vhd). A frame has FrameSize little-endian words of 64 bits;
/// FrameSize 0 counts as 1. Word 0 contains the frame's number in its burst; every other word k contains k.
/// The sender of the stream calls fill() to get the data. Sans-I/O.
class AppTx {
 public:
  struct Filled {
    std::size_t bytes = 0;
    bool last = false;  ///< whether these bytes are the last ones of the frame
  };

  // The following functions access the registers of the generator. FrameSize and SendFrame take effect when a
  // burst begins.
  void set_frame_size(std::uint32_t words) { frame_size_ = words; }
  void send_frames(std::uint32_t frames) { send_frames_ = frames; }
  /// While continuous mode is on, the generator sends frames continuously, each as a burst of one frame.
  void set_continuous(bool on) { continuous_ = on; }
  std::uint32_t frame_count() const { return frame_count_; }
  std::uint32_t word_count() const { return word_count_; }

  /// True if fill() has data to send.
  bool ready() const { return moving_ || send_frames_ != 0 || continuous_; }
  /// Writes the next bytes of the stream: as many whole words of one frame as fit into `out`. Writes nothing
  /// if ready() is false, or if `out` is shorter than a word.
  Filled fill(MutableByteSpan out);
  /// Restarts the current frame. Call this when the link has been lost, because the frame can no longer
  /// be completed.
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
