// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::bench {

struct Event {
  enum class Kind : std::uint8_t {
    kSent,           ///< a frame was passed to tx_burst
    kCnpArrived,     ///< the far end put a CNP into the ring
    kCnpOut,         ///< rx_burst returned a CNP
    kCnpRegistered,  ///< its queue pair's congestion control has processed it
    kCnpSettled,     ///< the next departure has been updated
    kAway,           ///< an iteration of the loop that began at `told` took longer than LoopTime::kAway
  };
  Time at = 0;
  /// Time that the board was given, i.e. the start of its loop iteration. For frames and for the processing
  /// of CNPs.
  Time told = 0;
  std::uint32_t qp = 0;
  std::uint32_t psn : 24 = 0;  ///< of sent frames
  Kind kind = Kind::kSent;
};

/// Records events in order for later analysis. One thread writes; all memory is allocated beforehand.
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
  /// The last n events, newest last; null if there are fewer.
  Event* last(std::size_t n) { return n <= count_ ? &events_[count_ - n] : nullptr; }
  const Event* begin() const { return events_.data(); }
  const Event* end() const { return events_.data() + count_; }
  /// Number of events that did not fit; if nonzero, the results are invalid.
  std::uint64_t lost() const { return lost_; }

 private:
  std::vector<Event> events_;
  std::size_t count_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace softfeb::bench
