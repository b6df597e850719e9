// SPDX-License-Identifier: BSD-3-Clause
#include "hostclock/tai.hpp"

#include <ctime>

#include <catch2/catch.hpp>

using namespace softfeb;

TEST_CASE("TAI is ahead of UTC even if the kernel does not know by how much") {
  CHECK(hostclock::tai_ahead() >= detector::kTaiAhead);
  CHECK(hostclock::tai_ahead() < detector::kTaiAhead + 30);
  const auto before = static_cast<std::uint64_t>(std::time(nullptr));
  const std::uint64_t tai = hostclock::tai_now().seconds;
  const auto after = static_cast<std::uint64_t>(std::time(nullptr));
  CHECK(tai >= before + detector::kTaiAhead);
  CHECK(tai <= after + hostclock::tai_ahead() + 1);
}
