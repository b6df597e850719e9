// SPDX-License-Identifier: BSD-3-Clause
#include "detector/camera_busy.hpp"

#include "detector/trigger_sequence.hpp"

namespace softfeb::detector {

CameraBusy::CameraBusy(TriggerSequence& sequence, std::uint32_t boards, Time delay)
    : sequence_(&sequence), delay_(delay), busy_(boards) {}

bool CameraBusy::report(std::uint32_t board, bool busy, Time now) {
  if (board >= busy_.size()) {
    ++rejected_;
    return false;
  }
  if (busy_[board] == busy) return true;
  busy_[board] = busy;
  if (busy && busy_boards_++ == 0) {
    since_ = now;
    sequence_->set_busy(saturating_add(now, delay_));
  } else if (!busy && --busy_boards_ == 0) {
    busy_time_ += now - since_;
    sequence_->set_idle(now);
  }
  return true;
}

Time CameraBusy::busy_time(Time now) const { return busy_time_ + (busy_boards_ == 0 ? 0 : now - since_); }

}  // namespace softfeb::detector
