// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/freeze.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// Releases a frozen queue frame by frame: in each cycle, port D resumes the switch for less time than a
/// frame takes, and then pauses it again.
class SlowDrain {
 public:
  /// Appends the drain to `freeze` in place of a release. The drain consists of `cycles` cycles of the
  /// duration `cycle`. The frames must already have been appended. `frame_time` is the time that each of
  /// these frames takes on the wire of port D.
  SlowDrain(const Context& ctx, FreezeTrial freeze, std::uint64_t cycles, Time cycle, Time frame_time);

  const Trial& trial() const { return freeze_.trial; }
  bool lapsed(const TrialResult& result) const { return freeze_.lapsed(result); }
  Time begin() const { return freeze_.released_at(); }

 private:
  void add_pause(Time at, std::uint16_t quanta);

  FreezeTrial freeze_;
  Freeze frozen_;
};

/// Number of frames of a kind that arrived before `time`.
std::uint64_t arrived_before(const TrialResult& result, std::uint16_t kind, Time time);

}  // namespace softfeb::switchtest
