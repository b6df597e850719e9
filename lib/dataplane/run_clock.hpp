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

/// Reads the TSC and CLOCK_MONOTONIC_RAW together. Makes several attempts and returns the one with the
/// narrowest window, because attempts with wider windows may have been interrupted.
ClockReading read_clocks();

/// Wall-clock time (CLOCK_REALTIME, ns since 1970) at Time 0 of `clock`, according to the current
/// CLOCK_REALTIME. NTP adjustments change the result.
std::uint64_t unix_origin_ns(const TscClock& clock);

/// The clock of a run: the TSC, calibrated against CLOCK_MONOTONIC_RAW at the start and disciplined to it
/// afterwards. Owned by the control thread; workers receive each new slope from updates().
class RunClock {
 public:
  /// Takes the first reading. Do slow set-up work between construction and calibrate(), because calibrate()
  /// then sleeps less.
  RunClock();

  /// Completes the calibration, whose last reading becomes Time 0. Sleeps until two measurements of 25 ms are
  /// complete, and repeats both once if they disagree. Takes about 100 ms at most.
  void calibrate();

  Time now() const;
  /// The control thread's copy, updated by follow(). Valid after calibrate().
  const TscClock& clock() const { return *clock_; }
  /// The mailbox to which each new slope is written; empty until the first one.
  const Mailbox<TscClock>& updates() const { return updates_; }
  /// Reads the clocks again when a reading is due. Otherwise the call is cheap, so call this function often.
  void follow();
  const ClockDiscipline& discipline() const { return *discipline_; }

 private:
  ClockReading first_;
  std::optional<ClockDiscipline> discipline_;
  std::optional<TscClock> clock_;
  std::uint64_t next_reading_tsc_ = 0;
  Mailbox<TscClock> updates_;
};

/// Returns a calibrated clock whose Time 0 is now, for programs that end too soon to discipline the clock.
/// Takes 50 ms.
TscClock start_clock();

/// Measures the TSC as RunClock does at the start, for `softfeb doctor`. Takes 50 ms.
ClockCalibration measure_clock();

/// Formats a calibration: "2596.144 MHz by CLOCK_MONOTONIC_RAW; second measurement within 0.4 ppm".
std::string in_words(const ClockCalibration& calibration);

}  // namespace softfeb::dataplane
