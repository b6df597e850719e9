// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/tsc_clock.hpp"

#include <array>
#include <cstdint>

/// Disciplines a TSC clock to a reference clock. Sans-I/O: the caller reads both clocks.
///
/// rte_get_tsc_hz() is not accurate enough: it rounds to 10 MHz, an error that can exceed 0.1 %.
namespace softfeb::dataplane {

/// The TSC and the reference clock at the same moment.
struct ClockReading {
  std::uint64_t tsc = 0;
  std::uint64_t reference_ns = 0;
  /// Width, in TSC cycles, of the window in which the reference was read. The error of `tsc` is at most
  /// half of this width.
  std::uint64_t window = 0;
};

/// TSC frequency, measured over the two intervals between three readings.
struct ClockCalibration {
  std::uint64_t hz = 0;       ///< frequency over the sum of the two intervals, in Hz
  double difference_ppm = 0;  ///< difference between the frequencies of the two intervals
  double error_ppm = 0;       ///< largest error that the widths of the reading windows can cause

  /// True when the two frequencies differ by no more than error_ppm or kTolerancePpm, whichever is larger.
  bool consistent() const;
  static constexpr double kTolerancePpm = 20;
};

/// Computes the calibration from readings in chronological order, each at least 1 ms after the previous one.
ClockCalibration calibrate(const std::array<ClockReading, 3>& readings);

/// Follows the reference clock with a clock that never jumps. Each reading measures the phase error. It
/// also measures the frequency, over an interval of kMemoryNs to 2 * kMemoryNs (shorter at the start) that
/// ends with the reading. The next slope removes the phase error by the time of the next reading, but the
/// correction never exceeds kSlewPpm.
class ClockDiscipline {
 public:
  static constexpr std::uint64_t kMemoryNs = 16'000'000'000;
  static constexpr double kSlewPpm = 20;
  /// A new slope takes effect this long after its reading, so that every thread has received it by then.
  static constexpr std::uint64_t kAheadNs = 50'000'000;

  /// Time 0 is the last of `readings`.
  explicit ClockDiscipline(const std::array<ClockReading, 3>& readings);

  const TscClock& clock() const { return clock_; }
  const ClockCalibration& calibration() const { return calibration_; }

  /// Adds a reading, at least 2 * kAheadNs after the previous one, and adjusts the slope. Returns false and
  /// changes nothing when the reading is too early, its TSC value has not advanced, or its window is wider
  /// than 10 µs.
  bool add(const ClockReading& reading);

  /// Reference time of the next reading, in ns. The interval grows from 2 * kAheadNs to one second.
  std::uint64_t next_reading_ns() const { return last_.reference_ns + interval_ns_; }
  std::uint64_t readings() const { return readings_; }
  /// offset() returns the lead of the clock over the reference at the latest reading, in ps. largest_offset()
  /// returns the lead that was largest in magnitude so far.
  std::int64_t offset() const { return offset_; }
  std::int64_t largest_offset() const { return largest_offset_; }
  /// Latest measured frequency relative to the calibrated one.
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
