// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/congestion.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// A CNP or a parameter change of a QP's congestion control.
struct CongestionEvent {
  Time at = 0;
  std::uint32_t qp = 0;  ///< index of the QP on its board
  /// New parameters, as passed to set_congestion(). If this is empty, the event is a CNP.
  std::optional<CongestionSettings> profile;
};

/// Records the congestion control events of a board in order, so that the rates of its QPs can be replayed.
/// The capacity is fixed at construction, so add() does not allocate memory.
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
  /// False if events were dropped because the log was full.
  bool complete() const { return complete_; }

 private:
  std::size_t room_;
  std::vector<CongestionEvent> events_;
  bool complete_ = true;
};

}  // namespace softfeb::engine
