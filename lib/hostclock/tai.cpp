// SPDX-License-Identifier: BSD-3-Clause
#include "hostclock/tai.hpp"

#include <ctime>

namespace softfeb::hostclock {

namespace {

std::uint64_t read_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint32_t tai_ahead() {
  const std::uint64_t utc = read_ns(CLOCK_REALTIME);
  return detector::tai_ahead(utc, read_ns(CLOCK_TAI));
}

detector::EventTime tai_now() { return detector::tai_of(read_ns(CLOCK_REALTIME), tai_ahead()); }

}  // namespace softfeb::hostclock
