// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/packetizer.hpp"
#include "control/rssi.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::control {

/// Whole frames out through a link: cut into segments, which wait here until the link has room for them. The
/// user bounds what waits by looking at bytes().
class FrameSender {
 public:
  /// 1 byte or more; needs an open link.
  void push(ByteSpan frame, const RssiLink& link);
  /// Sends what the link has room for. May be called again from inside.
  void flush(RssiLink& link, Time now);
  /// The connection closed.
  void reset();

  std::size_t bytes() const { return bytes_; }

 private:
  Packetizer packetizer_;
  std::deque<std::vector<std::uint8_t>> segments_;
  std::size_t bytes_ = 0;  ///< of segments_
  bool flushing_ = false;
};

}  // namespace softfeb::control
