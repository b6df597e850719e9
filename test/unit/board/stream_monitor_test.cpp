// SPDX-License-Identifier: BSD-3-Clause
#include "board/stream_monitor.hpp"

#include "board/rate_meter.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using board::RateMeter;
using board::StreamMonitor;

TEST_CASE("stream monitor: rates cover whole seconds", "[registers]") {
  StreamMonitor m(5 * kSecond);
  for (int i = 0; i < 10; ++i) m.on_frame(100, 5 * kSecond + static_cast<Time>(i) * kMillisecond);
  CHECK(m.values(5 * kSecond + 999 * kMillisecond).frame_rate.now == 0);
  auto v = m.values(6 * kSecond);
  CHECK(v.frames == 10);
  CHECK(v.frame_rate.now == 10);
  CHECK(v.frame_rate.min == 10);
  CHECK(v.bandwidth.now == 1000);
  m.on_frame(300, 6 * kSecond + kMillisecond);
  v = m.values(7 * kSecond);
  CHECK(v.frame_rate.now == 1);
  CHECK(v.frame_rate.max == 10);
  CHECK(v.frame_rate.min == 1);
  CHECK(v.bandwidth.now == 300);
  CHECK(v.bandwidth.max == 1000);
  CHECK(v.frame_size.now == 300);
  CHECK(v.frame_size.max == 300);
  CHECK(v.frame_size.min == 100);
}

TEST_CASE("stream monitor: idle seconds count", "[registers]") {
  StreamMonitor m;
  m.on_frame(64, 0);
  m.on_frame(64, 100 * kSecond + kMillisecond);
  auto v = m.values(100 * kSecond + 2 * kMillisecond);
  CHECK(v.frames == 2);
  CHECK(v.frame_rate.now == 0);
  CHECK(v.frame_rate.max == 1);
  CHECK(v.frame_rate.min == 0);
  CHECK(m.values(101 * kSecond).frame_rate.now == 1);
  m.reset(101 * kSecond);
  v = m.values(101 * kSecond);
  CHECK(v.frames == 0);
  CHECK(v.frame_rate.max == 0);
  CHECK(v.frame_size.max == 0);
}

TEST_CASE("rate meter: the mean between reads a second apart", "[registers]") {
  RateMeter m;
  CHECK(m.rate(1000, 0) == 0);
  CHECK(m.rate(2000, kMillisecond) == 0);
  CHECK(m.rate(5000, 2 * kSecond) == 2000);
  // The rate is not updated, because the last measurement was only a millisecond ago.
  CHECK(m.rate(9000, 2 * kSecond + kMillisecond) == 2000);
  CHECK(m.rate(5500, 3 * kSecond) == 500);
  CHECK(m.rate(10, 4 * kSecond) == 0);  // the counter has restarted
  CHECK(m.rate(10 + (std::uint64_t{1} << 62), 5 * kSecond) == std::uint64_t{1} << 62);
}
