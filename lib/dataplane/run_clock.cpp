// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run_clock.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>

#include <rte_cycles.h>

namespace softfeb::dataplane {

namespace {

constexpr std::uint64_t kHalfNs = 25'000'000;  ///< duration of one of the two measurements
constexpr int kReadTries = 16;

ClockReading read_with(clockid_t id) {
  ClockReading best{.window = UINT64_MAX};
  for (int i = 0; i < kReadTries; ++i) {
    timespec reference{};
    const std::uint64_t before = rte_rdtsc_precise();
    clock_gettime(id, &reference);
    const std::uint64_t window = rte_rdtsc_precise() - before;
    if (window >= best.window) continue;
    best = {.tsc = before + window / 2,
            .reference_ns = static_cast<std::uint64_t>(reference.tv_sec) * (kSecond / kNanosecond) +
                            static_cast<std::uint64_t>(reference.tv_nsec),
            .window = window};
  }
  return best;
}

/// Takes a reading at least kHalfNs after `earlier`.
ClockReading read_after(const ClockReading& earlier) {
  for (;;) {
    const ClockReading reading = read_clocks();
    const std::uint64_t passed = reading.reference_ns - earlier.reference_ns;
    if (passed >= kHalfNs) return reading;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kHalfNs - passed));
  }
}

ClockDiscipline measure_from(const ClockReading& first) {
  const ClockReading second = read_after(first);
  return ClockDiscipline({first, second, read_after(second)});
}

}  // namespace

ClockReading read_clocks() { return read_with(CLOCK_MONOTONIC_RAW); }

std::uint64_t unix_origin_ns(const TscClock& clock) {
  const ClockReading reading = read_with(CLOCK_REALTIME);
  return reading.reference_ns - clock.time(reading.tsc) / kNanosecond;
}

RunClock::RunClock() : first_(read_clocks()) {}

void RunClock::calibrate() {
  discipline_.emplace(measure_from(first_));
  if (!discipline_->calibration().consistent()) discipline_.emplace(measure_from(read_clocks()));
  clock_ = discipline_->clock();
}

Time RunClock::now() const { return clock_->time(rte_rdtsc()); }

void RunClock::follow() {
  if (rte_rdtsc() < next_reading_tsc_) return;
  const ClockReading reading = read_clocks();
  const std::uint64_t due = discipline_->next_reading_ns();
  if (reading.reference_ns >= due && discipline_->add(reading)) {
    clock_ = discipline_->clock();
    updates_.write(*clock_);
  }
  // Read at most once per millisecond, in case clock_gettime() is slow.
  next_reading_tsc_ = reading.tsc + clock_->hz() / 1000;
}

TscClock start_clock() { return measure_from(read_clocks()).clock(); }

ClockCalibration measure_clock() { return measure_from(read_clocks()).calibration(); }

std::string in_words(const ClockCalibration& c) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%.3f MHz by CLOCK_MONOTONIC_RAW; second measurement %s %.1f ppm",
                static_cast<double>(c.hz) * 1e-6, c.consistent() ? "within" : "off by",
                std::abs(c.difference_ppm));
  return text.data();
}

}  // namespace softfeb::dataplane
