// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/clock_discipline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace softfeb::dataplane {

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kLongestIntervalNs = kNsPerSecond;
constexpr std::uint64_t kWidestWindowNs = 10'000;

std::uint64_t frequency(const ClockReading& from, const ClockReading& to) {
  const Uint128 cycles = to.tsc - from.tsc;
  const std::uint64_t ns = to.reference_ns - from.reference_ns;
  return static_cast<std::uint64_t>((cycles * kNsPerSecond + ns / 2) / ns);
}

double ppm(std::uint64_t a, std::uint64_t b) {
  return (static_cast<double>(a) - static_cast<double>(b)) / static_cast<double>(b) * 1e6;
}

/// Returns the largest possible error, in ppm, of the frequency measured between two readings. The error of
/// each reading is at most half the width of its window.
double error_ppm(const ClockReading& from, const ClockReading& to) {
  return static_cast<double>(from.window + to.window) / 2 / static_cast<double>(to.tsc - from.tsc) * 1e6;
}

}  // namespace

bool ClockCalibration::consistent() const {
  return std::abs(difference_ppm) <= std::max(error_ppm, kTolerancePpm);
}

ClockCalibration calibrate(const std::array<ClockReading, 3>& r) {
  ClockCalibration c;
  c.hz = frequency(r[0], r[2]);
  c.difference_ppm = ppm(frequency(r[1], r[2]), frequency(r[0], r[1]));
  c.error_ppm = error_ppm(r[0], r[1]) + error_ppm(r[1], r[2]);
  return c;
}

ClockDiscipline::ClockDiscipline(const std::array<ClockReading, 3>& readings)
    : calibration_(calibrate(readings)),
      clock_(calibration_.hz, readings[2].tsc),
      origin_ns_(readings[2].reference_ns),
      first_(readings[0]),
      middle_(readings[0]),
      last_(readings[2]),
      measured_hz_(calibration_.hz) {}

bool ClockDiscipline::add(const ClockReading& reading) {
  if (reading.reference_ns < last_.reference_ns + 2 * kAheadNs || reading.tsc <= last_.tsc) return false;
  const std::uint64_t hz = measured_hz_;
  if (Uint128{reading.window} * kNsPerSecond > Uint128{hz} * kWidestWindowNs) return false;
  // The frequency is measured from first_ to this reading. Move first_ forward, so that this interval stays
  // between kMemoryNs and 2 * kMemoryNs. It is shorter only at the start.
  if (reading.reference_ns - middle_.reference_ns > kMemoryNs) {
    first_ = middle_;
    middle_ = reading;
  }
  last_ = reading;
  ++readings_;
  measured_hz_ = frequency(first_, reading);
  const Time reference = (reading.reference_ns - origin_ns_) * kNanosecond;
  offset_ = static_cast<std::int64_t>(clock_.time(reading.tsc) - reference);
  if (std::abs(offset_) > std::abs(largest_offset_)) largest_offset_ = offset_;
  interval_ns_ = std::min(2 * interval_ns_, kLongestIntervalNs);
  // If the clock is ahead of the reference, set a higher TSC frequency until the next reading. Each TSC cycle
  // then counts as less time, so the clock advances more slowly.
  const double wanted_ppm = static_cast<double>(offset_) / (static_cast<double>(interval_ns_) * 1e3) * 1e6;
  const double slew = std::clamp(wanted_ppm, -kSlewPpm, kSlewPpm) * 1e-6;
  const auto correction = static_cast<std::int64_t>(std::llround(static_cast<double>(measured_hz_) * slew));
  const auto ahead = static_cast<std::uint64_t>(Uint128{measured_hz_} * kAheadNs / kNsPerSecond);
  clock_.set_frequency(measured_hz_ + static_cast<std::uint64_t>(correction), reading.tsc + ahead);
  return true;
}

double ClockDiscipline::drift_ppm() const { return ppm(measured_hz_, calibration_.hz); }

}  // namespace softfeb::dataplane
