// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_time.hpp"

#include <cstdint>

/// lib/hostclock: International Atomic Time (TAI) on this host, for softfeb and rdma-sink. May include
/// detector and the libraries below it.
namespace softfeb::hostclock {

/// Seconds by which TAI is ahead of UTC: the kernel's value, or detector::kTaiAhead if the kernel does not
/// know one. On most hosts, nothing sets this value in the kernel, so that CLOCK_TAI equals UTC.
std::uint32_t tai_ahead();

/// The current time in TAI. Steps of the wall clock change it.
detector::EventTime tai_now();

}  // namespace softfeb::hostclock
