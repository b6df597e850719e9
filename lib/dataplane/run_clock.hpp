// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/clock_discipline.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::dataplane {

/// Reads the time stamp counter and CLOCK_MONOTONIC_RAW together: the attempt with the narrowest window wins,
/// because the others were interrupted.
ClockReading read_clocks();

/// Wall clock (CLOCK_REALTIME) at Time 0 of `clock`, ns since 1970, as it is now: a clock set by NTP moves.
std::uint64_t unix_origin_ns(const TscClock& clock);

/// The clock of a run: the time stamp counter, calibrated against CLOCK_MONOTONIC_RAW at the start and kept
/// true to it from then on. The control thread owns it; workers get each new slope from updates().
class RunClock {
 public:
  /// Takes the first reading. Set-up that takes time anyway belongs between this and calibrate().
  RunClock();

  /// Ends the calibration, and is Time 0. Sleeps for what is missing of two measurements of 25 ms each, and
  /// measures once more where they differ: 100 ms at most.
  void calibrate();

  Time now() const;
  /// The control thread's own copy; follow() changes it. Valid after calibrate().
  const TscClock& clock() const { return *clock_; }
  /// Written with each new slope; empty until the first.
  const Mailbox<TscClock>& updates() const { return updates_; }
  /// Reads the clocks again when that is due. Call it often; it costs nothing until then.
  void follow();
  const ClockDiscipline& discipline() const { return *discipline_; }

 private:
  ClockReading first_;
  std::optional<ClockDiscipline> discipline_;
  std::optional<TscClock> clock_;
  std::uint64_t next_reading_tsc_ = 0;
  Mailbox<TscClock> updates_;
};

/// A calibrated clock whose Time 0 is now, for programs too short to follow the reference. Takes 50 ms.
TscClock start_clock();

/// As RunClock measures the counter at the start, for doctor. Takes 50 ms.
ClockCalibration measure_clock();

/// "2596.144 MHz by CLOCK_MONOTONIC_RAW; second measurement within 0.4 ppm".
std::string in_words(const ClockCalibration& calibration);

}  // namespace softfeb::dataplane
