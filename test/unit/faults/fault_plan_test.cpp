// SPDX-License-Identifier: BSD-3-Clause
#include "faults/fault_plan.hpp"

#include "cch_frame.hpp"
#include "faults/location.hpp"
#include "roce_frame.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::faults;

TEST_CASE("RoCE packets are found in their frames", "[faults]") {
  for (const bool ipv6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      const auto frame = test::roce_frame({ipv6, vlan, 8, 0xabcdef, 0x123456});
      const auto at = locate_roce(frame);
      REQUIRE(at);
      CHECK(at->dest_qp == 0xabcdef);
      CHECK(at->psn == 0x123456);
      CHECK(at->ip == (vlan ? 18 : 14));
      CHECK(at->bth == at->ip + (ipv6 ? 48 : 28));
      for (std::size_t n = 0; n < at->bth + 12U; ++n) REQUIRE_FALSE(locate_roce(ByteSpan(frame).first(n)));
    }
  }
  auto other = test::roce_frame();
  other[14 + 9] = 6;  // IP protocol TCP
  CHECK_FALSE(locate_roce(other));
}

TEST_CASE("RoCE packets are found behind a congestion control header", "[faults]") {
  for (const bool ipv6 : {false, true}) {
    const auto plain = test::roce_frame({ipv6, false, 8, 0xabcdef, 0x123456});
    for (const auto& cch : {test::int_cch(), test::delay_cch(kMicrosecond)}) {
      auto frame = test::with_cch(plain, cch);
      const auto at = locate_roce(frame);
      REQUIRE(at);
      CHECK(at->dest_qp == 0xabcdef);
      CHECK(at->psn == 0x123456);
      CHECK(at->content == 14 + (ipv6 ? 48 : 28));
      CHECK(at->bth == at->content + cch.size());
      for (std::size_t n = 0; n < at->bth + 12U; ++n) REQUIRE_FALSE(locate_roce(ByteSpan(frame).first(n)));
      CHECK_FALSE(locate_roce(frame, 50'000));
      frame[at->content + 3U] ^= 1;
      CHECK_FALSE(locate_roce(frame));
    }
  }
}

TEST_CASE("faults follow their rate and are reproducible by seed", "[faults]") {
  constexpr unsigned kPackets = 200'000;
  constexpr std::uint64_t kOnePercent = (std::uint64_t{1} << 32) / 100;
  FaultPlan plan(5, {kOnePercent, 2 * kOnePercent, 0, 0, 50 * kOnePercent});
  FaultPlan again(5, {kOnePercent, 2 * kOnePercent, 0, 0, 50 * kOnePercent});
  FaultPlan other(6, {kOnePercent, 2 * kOnePercent, 0, 0, 50 * kOnePercent});
  unsigned dropped = 0, corrupted = 0, marked = 0, different = 0;
  for (unsigned i = 0; i < kPackets; ++i) {
    const FaultVerdict v = plan.judge();
    const FaultVerdict w = again.judge();
    REQUIRE((v.drop == w.drop && v.corrupt == w.corrupt && v.mark_ce == w.mark_ce && v.where == w.where));
    different += other.judge().drop != v.drop ? 1 : 0;
    dropped += v.drop ? 1 : 0;
    corrupted += v.corrupt ? 1 : 0;
    marked += v.mark_ce ? 1 : 0;
    REQUIRE_FALSE((v.duplicate || v.reorder));
  }
  // The limits are five standard deviations of the binomial distribution.
  CHECK(std::abs(static_cast<int>(dropped) - 2000) < 223);
  CHECK(std::abs(static_cast<int>(corrupted) - 4000) < 314);
  CHECK(std::abs(static_cast<int>(marked) - 100'000) < 1119);
  CHECK(different > 3000);
}

TEST_CASE("changing one rate does not affect other faults", "[faults]") {
  FaultPlan drops(9, {1U << 26, 0, 0, 0, 0});
  FaultPlan both(9, {1U << 26, 1U << 30, 1U << 30, 0, 1U << 30});
  for (int i = 0; i < 10'000; ++i) REQUIRE(drops.judge().drop == both.judge().drop);
}
