// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::bench {

struct Event {
  enum class Kind : std::uint8_t {
    kSent,           ///< a frame was given to tx_burst
    kCnpArrived,     ///< a CNP was put into the ring by the far end
    kCnpOut,         ///< rx_burst has given a CNP
    kCnpRegistered,  ///< its queue pair's congestion control knows
    kCnpSettled,     ///< and the next departure is where it puts it
    kAway,           ///< a turn of the loop, begun at `told`, was longer than LoopTime::kAway
  };
  Time at = 0;
  /// When it happened as far as the board was told: as its turn of the loop began. Of frames and
  /// of what was done about CNPs.
  Time told = 0;
  std::uint32_t qp = 0;
  std::uint32_t psn : 24 = 0;  ///< of frames sent
  Kind kind = Kind::kSent;
};

/// What happened, in order, for later: one thread writes, and all its memory is there before it begins.
class EventLog {
 public:
  explicit EventLog(std::size_t room) : events_(room) {}

  void add(const Event& e) {
    if (count_ < events_.size()) {
      events_[count_++] = e;
    } else {
      ++lost_;
    }
  }
  /// The last n events, newest last; null when there are fewer.
  Event* last(std::size_t n) { return n <= count_ ? &events_[count_ - n] : nullptr; }
  const Event* begin() const { return events_.data(); }
  const Event* end() const { return events_.data() + count_; }
  /// Events there was no room for: the figures would be wrong.
  std::uint64_t lost() const { return lost_; }

 private:
  std::vector<Event> events_;
  std::size_t count_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace softfeb::bench
