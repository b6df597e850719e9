// SPDX-License-Identifier: BSD-3-Clause
#include "cpu_times.hpp"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;

TEST_CASE("shares of CPU time are those of 10 ms each", "[rdma-sink]") {
  std::map<clockid_t, Time> used{{1, kSecond}, {2, 0}};
  CpuTimes cpu({{"main", 1}, {"event-file", 2}}, kSecond, [&](clockid_t c) { return used[c]; });
  used[1] += 5 * kMillisecond;
  cpu.advance(kSecond + 9 * kMillisecond);  // the interval has not ended yet
  cpu.advance(kSecond + 10 * kMillisecond);
  used[1] += 6 * kMillisecond;
  used[2] += 24 * kMillisecond;
  cpu.advance(kSecond + 40 * kMillisecond);  // three intervals end at once
  const nlohmann::json report = cpu.report();
  REQUIRE(report.size() == 2);
  CHECK(report[0]["thread"] == "main");
  CHECK(report[0]["cpu_s"] == Approx(0.011));
  CHECK(report[0]["samples"] == 4);
  CHECK(report[0]["busy"]["min"] == Approx(0.2));
  CHECK(report[0]["busy"]["p50"] == Approx(0.2));
  CHECK(report[0]["busy"]["p90"] == Approx(0.5));
  CHECK(report[1]["thread"] == "event-file");
  CHECK(report[1]["busy"]["min"] == 0);
  CHECK(report[1]["busy"]["max"] == Approx(0.8));
}

TEST_CASE("a session too short for a sample has no shares", "[rdma-sink]") {
  const CpuTimes cpu({{"main", 1}}, 0, [](clockid_t) { return Time{0}; });
  CHECK(cpu.report()[0]["busy"].is_null());
}

TEST_CASE("the threads of this process have clocks", "[rdma-sink]") {
  const auto threads = threads_of_process();
  REQUIRE_FALSE(threads.empty());
  CHECK(std::any_of(threads.begin(), threads.end(),
                    [](const ThreadClock& t) { return read_clock(t.clock) != 0; }));
  CHECK(read_clock(-1000) == 0);
}
