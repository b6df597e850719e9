// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/freeze.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// Releases a frozen queue frame by frame: port D resumes the switch for less than the time of a frame,
/// pauses it again, and repeats this each cycle.
class SlowDrain {
 public:
  /// Appends the drain to `freeze`, whose frames have been appended, instead of a release. `frame_time`: time
  /// of one of them on the wire of D.
  SlowDrain(const Context& ctx, FreezeTrial freeze, std::uint64_t cycles, Time cycle, Time frame_time);

  const Trial& trial() const { return freeze_.trial; }
  bool lapsed(const TrialResult& result) const { return freeze_.lapsed(result); }
  Time begin() const { return freeze_.released_at(); }

 private:
  void add_pause(Time at, std::uint16_t quanta);

  FreezeTrial freeze_;
  Freeze frozen_;
};

/// Frames of a kind that arrived before `time`.
std::uint64_t arrived_before(const TrialResult& result, std::uint16_t kind, Time time);

}  // namespace softfeb::switchtest
