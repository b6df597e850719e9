// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/reordering.hpp"

#include <array>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

/// Returns the frames of one kind that arrive in the order of these sequence numbers. Frames are sent 1 µs
/// apart.
std::vector<Arrival> arriving(const std::vector<std::uint64_t>& sequences) {
  std::vector<Arrival> out;
  for (const std::uint64_t s : sequences)
    out.push_back({.sequence = s, .departed = s * kMicrosecond, .at = (100 + out.size()) * kMicrosecond});
  return out;
}

constexpr std::array<std::uint16_t, 1> kOneFlow{0};

}  // namespace

TEST_CASE("Frames in order, with gaps, are not reordered", "[switchtest]") {
  const Reordering seen = reordering(arriving({0, 1, 2, 5, 6, 9}), kOneFlow);
  CHECK(seen.frames == 6);
  CHECK(seen.reordered == 0);
  CHECK(seen.extent == 0);
  CHECK(reordering({}, kOneFlow).frames == 0);
}

TEST_CASE("The extent is the distance to the first frame that came too early", "[switchtest]") {
  // Frame 4 arrives after four frames that were sent later: RFC 4737, section 4.2.1, e = i - j = 8 - 4.
  const Reordering one = reordering(arriving({1, 2, 3, 5, 6, 7, 8, 4, 9, 10}), kOneFlow);
  CHECK(one.reordered == 1);
  CHECK(one.extent == 4);
  // Frame 9 is the seventh arrival. Frames 7 and 8 arrive after it; frame 8 is the tenth arrival.
  const Reordering two = reordering(arriving({1, 2, 3, 4, 5, 6, 9, 10, 7, 8, 11}), kOneFlow);
  CHECK(two.reordered == 2);
  CHECK(two.extent == 3);
  // All frames except the first are late.
  const Reordering reverse = reordering(arriving({4, 3, 2, 1, 0}), kOneFlow);
  CHECK(reverse.reordered == 4);
  CHECK(reverse.extent == 4);
}

TEST_CASE("Duplicates and damaged frames are not reordered", "[switchtest]") {
  std::vector<Arrival> arrivals = arriving({0, 1, 1, 2, 0, 3, 1});
  arrivals.back().intact = false;
  const Reordering seen = reordering(arrivals, kOneFlow);
  CHECK(seen.frames == 4);
  CHECK(seen.duplicated == 2);
  CHECK(seen.reordered == 0);
}

TEST_CASE("Frames of different kinds are compared within a flow only", "[switchtest]") {
  std::vector<Arrival> arrivals = arriving({1, 0});
  arrivals[1].kind = 1;
  CHECK(reordering(arrivals, std::array<std::uint16_t, 2>{0, 0}).reordered == 1);
  CHECK(reordering(arrivals, std::array<std::uint16_t, 2>{0, 1}).reordered == 0);
  // If two frames of different kinds have the same sequence number, they are different frames.
  arrivals[1].sequence = 1;
  CHECK(reordering(arrivals, std::array<std::uint16_t, 2>{0, 0}).duplicated == 0);
}
