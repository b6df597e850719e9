// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/tsc_clock.hpp"

#include <array>
#include <cstdint>

/// Keeps the time stamp counter's clock true to a reference clock. Sans-I/O: who calls reads both clocks.
///
/// rte_get_tsc_hz() is no measure: it rounds to 10 MHz, which can be off by more than 0.1 %.
namespace softfeb::dataplane {

/// The counter and the reference clock at the same moment.
struct ClockReading {
  std::uint64_t tsc = 0;
  std::uint64_t reference_ns = 0;
  /// Width of the window in which the reference was read, in cycles: the error of `tsc` is at most half of
  /// it.
  std::uint64_t window = 0;
};

/// The counter's frequency, measured twice: over the first and over the second half of three readings.
struct ClockCalibration {
  std::uint64_t hz = 0;       ///< over both halves
  double difference_ppm = 0;  ///< between the halves
  double error_ppm = 0;       ///< that the windows of the readings alone may explain

  /// The halves differ by no more than the readings explain, or by no more than kTolerance.
  bool consistent() const;
  static constexpr double kTolerancePpm = 20;
};

/// Readings in the order of their times, each at least a millisecond after the one before.
ClockCalibration calibrate(const std::array<ClockReading, 3>& readings);

/// Follows the reference with a clock that never jumps. Each reading measures the frequency over the last
/// kMemory or so, and the phase; the next slope makes the phase right by the next reading, as far as kSlewPpm
/// lets it.
class ClockDiscipline {
 public:
  static constexpr std::uint64_t kMemoryNs = 16'000'000'000;
  static constexpr double kSlewPpm = 20;
  /// A new slope holds this much later than the reading, so that every thread knows of it by then.
  static constexpr std::uint64_t kAheadNs = 50'000'000;

  /// Time 0 is at the last of `readings`.
  explicit ClockDiscipline(const std::array<ClockReading, 3>& readings);

  const TscClock& clock() const { return clock_; }
  const ClockCalibration& calibration() const { return calibration_; }

  /// Takes a reading, at least 2 * kAheadNs after the one before, and bends the clock. False when it was left
  /// as it is: the reading came too early, or its window is wider than 10 µs.
  bool add(const ClockReading& reading);

  /// When the next reading is due: soon after the start, then every second.
  std::uint64_t next_reading_ns() const { return last_.reference_ns + interval_ns_; }
  std::uint64_t readings() const { return readings_; }
  /// The clock's lead over the reference at the newest reading, ps, and the greatest so far in magnitude.
  std::int64_t offset() const { return offset_; }
  std::int64_t largest_offset() const { return largest_offset_; }
  /// The newest measured frequency against that of the calibration.
  double drift_ppm() const;

 private:
  ClockCalibration calibration_;
  TscClock clock_;
  std::uint64_t origin_ns_;
  ClockReading first_, middle_, last_;
  std::uint64_t measured_hz_;
  std::uint64_t interval_ns_ = 2 * kAheadNs;
  std::uint64_t readings_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t largest_offset_ = 0;
};

}  // namespace softfeb::dataplane
