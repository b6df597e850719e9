// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/packetizer.hpp"
#include "srp/rssi.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::srp {

/// Sends whole frames over a link: splits them into segments and queues the segments until the link has
/// room. The queue has no size limit: the caller must check bytes().
class FrameSender {
 public:
  /// Adds a frame to the queue. `frame` has at least 1 byte; the link must be open.
  void push(ByteSpan frame, const RssiLink& link);
  /// Sends as many segments as the link has room for. Reentrant: the link may call it from inside send().
  void flush(RssiLink& link, Time now);
  /// Discards the queue. Call it when the connection has closed.
  void reset();

  std::size_t bytes() const { return bytes_; }

 private:
  Packetizer packetizer_;
  std::deque<std::vector<std::uint8_t>> segments_;
  std::size_t bytes_ = 0;  ///< total size of segments_
  bool flushing_ = false;
};

}  // namespace softfeb::srp
