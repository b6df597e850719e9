// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/congestion.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// What acted on a congestion control.
struct CongestionEvent {
  Time at = 0;
  std::uint32_t qp = 0;  ///< of the board
  /// New parameters, as set_congestion() has them; none: a CNP.
  std::optional<CongestionProfile> profile;
};

/// The events of a board in their order: what a replay of its rates needs. Room for a number of them that is
/// fixed beforehand, so that nothing is allocated while packets pass.
class CongestionLog {
 public:
  explicit CongestionLog(std::size_t room = 0) : room_(room) { events_.reserve(room); }

  void add(const CongestionEvent& event) {
    if (events_.size() < room_) {
      events_.push_back(event);
    } else {
      complete_ = false;
    }
  }

  const std::vector<CongestionEvent>& events() const { return events_; }
  /// None was left out for want of room.
  bool complete() const { return complete_; }

 private:
  std::size_t room_;
  std::vector<CongestionEvent> events_;
  bool complete_ = true;
};

}  // namespace softfeb::engine
