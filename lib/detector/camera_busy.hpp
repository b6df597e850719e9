// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::detector {

class TriggerSequence;

/// Combines the busy states of a camera's boards into the veto of its trigger sequence. The veto begins
/// `delay` after the first board became busy, and ends as soon as no board is busy. Only the constructor
/// allocates.
class CameraBusy {
 public:
  /// `sequence` must outlive this object.
  CameraBusy(TriggerSequence& sequence, std::uint32_t boards, Time delay);

  /// Reports that `board` becomes busy, or stops being busy, at `now`. Repeated reports have no effect. If
  /// there is no such board, counts the report as rejected and returns false. Before this call, call
  /// TriggerSequence::accept_before(now) until it returns nullopt.
  bool report(std::uint32_t board, bool busy, Time now);

  std::uint32_t busy_boards() const { return busy_boards_; }
  std::uint64_t rejected() const { return rejected_; }
  /// Total time until `now` during which at least one board was busy.
  Time busy_time(Time now) const;

 private:
  TriggerSequence* sequence_;
  Time delay_;
  std::vector<bool> busy_;
  std::uint32_t busy_boards_ = 0;
  Time since_ = 0;
  Time busy_time_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace softfeb::detector
