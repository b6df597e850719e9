// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::switchtest {

/// Computes when DCQCN permits a board to send its frames, all of which have the same length.
class BoardPace {
 public:
  /// `length` is the number of bytes of a RoCE frame over IPv4, without FCS and tag.
  BoardPace(const dcqcn::FirmwareSettings& settings, std::uint32_t length, Time start)
      : dcqcn_(settings), counted_(length - kUncounted), told_(start) {
    dcqcn_.start(start);
  }

  /// Returns the earliest time at which a frame that was due at `due` may leave. If the returned time is
  /// later than `due`, call this function again at that time, because a CNP may have arrived by then.
  Time allowed(Time due) {
    tell(due);
    return std::max(due, dcqcn_.departure(counted_, told_));
  }
  /// Records that a frame left at `departed`. Returns the earliest time at which the next frame may leave if
  /// no CNP arrives; confirm this time with allowed().
  Time sent(Time departed) {
    tell(departed);
    return dcqcn_.sent_then_departure(counted_, counted_, told_);
  }
  void cnp(Time at) {
    tell(at);
    dcqcn_.cnp(told_);
  }

 private:
  /// DCQCN does not count the Ethernet, IP and UDP headers and the iCRC.
  static constexpr std::uint32_t kUncounted =
      static_cast<std::uint32_t>(roce::kEthernetSize + roce::kIpv4Size + roce::kUdpHeaderSize + 4);

  /// Sets `told_` to `at`, unless `at` is earlier than `told_`. DCQCN requires times in ascending order, but
  /// a CNP that arrived before a frame left may be processed after this frame.
  void tell(Time at) { told_ = std::max(told_, at); }

  dcqcn::FirmwareDcqcn dcqcn_;
  std::uint32_t counted_;
  Time told_;  ///< the latest time that was passed to `dcqcn_`
};

}  // namespace softfeb::switchtest
