// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/app_tx.hpp"
#include "board/stream_monitor.hpp"
#include "srp/stream.hpp"

#include <cstddef>

namespace softfeb::slowcontrol {

/// Passes the frames of the board's frame generator to its stream link. Counts the frames in `monitor`, the
/// stream monitor for frames that the board sends.
class StreamSource final : public srp::FrameSource {
 public:
  StreamSource(board::AppTx& generator, board::StreamMonitor& monitor)
      : generator_(generator), monitor_(monitor) {}

  bool ready(Time /*now*/) override { return generator_.ready(); }

  Part fill(MutableByteSpan out, Time now) override {
    const board::AppTx::Filled filled = generator_.fill(out);
    frame_bytes_ += filled.bytes;
    if (filled.last) {
      monitor_.on_frame(frame_bytes_, now);
      frame_bytes_ = 0;
    }
    return {filled.bytes, filled.last};
  }

  void abandon(Time /*now*/) override {
    generator_.restart_frame();
    frame_bytes_ = 0;
  }

 private:
  board::AppTx& generator_;
  board::StreamMonitor& monitor_;
  std::size_t frame_bytes_ = 0;  ///< size of the current frame so far
};

}  // namespace softfeb::slowcontrol
