// SPDX-License-Identifier: BSD-3-Clause
// Tests the reaction point with random CNPs and parameters. The event-driven implementation must agree with
// the clock-by-clock one, no matter when it is queried. Rates must stay within their limits, and idle time
// must be processed in one step.
#include "base/rng.hpp"
#include "dcqcn/reaction_point.hpp"
#include "schedule.hpp"
#include "support/dcqcn_clock_model.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dcqcn;
using namespace softfeb::test;

namespace {

bool equal(const ReactionPoint& r, const DcqcnClockModel& m) {
  return r.rc() == m.rc && r.rt() == m.rt && r.alpha() == m.alpha && r.time_stage() == m.time_stage &&
         r.cnp_counter() == m.cnp_counter;
}

/// Runs the event-driven implementation and the clock model on the same schedule. At each clock edge, the
/// states of the two are compared with a probability of 1/`look`.
void compare(const DcqcnSchedule& schedule, Edge end, std::uint64_t look, Rng& rng) {
  ReactionPoint lazy(schedule.initial, schedule.build);
  DcqcnClockModel stepped(schedule.initial, schedule.build.line_rate, schedule.build.wrap32);
  FirmwareParameters parameters = schedule.initial;
  bool counter_reset = false;
  // A bypass that is set from the start needs no special treatment: all rates start at line rate, and the
  // bypass keeps them there.
  for (Edge n = 0; n <= end; ++n) {
    const bool cnp = schedule.cnps.contains(n);
    if (cnp) lazy.cnp(n);
    if (const auto write = schedule.writes.find(n); write != schedule.writes.end()) {
      parameters = write->second.parameters;
      counter_reset = write->second.counter_reset;
      lazy.set_parameters(parameters, n);
      lazy.set_cnp_counter_reset(counter_reset, n);
    }
    stepped.clock(cnp, parameters, counter_reset);
    if (rng.below(look) == 0 || n == end) {
      lazy.advance(n);
      INFO("after edge " << n << ": Rc " << lazy.rc() << " for " << stepped.rc << ", Rt " << lazy.rt()
                         << " for " << stepped.rt << ", alpha " << lazy.alpha() << " for " << stepped.alpha
                         << ", stage " << +lazy.time_stage() << " for " << +stepped.time_stage << ", CNPs "
                         << lazy.cnp_counter() << " for " << stepped.cnp_counter);
      if (!equal(lazy, stepped)) FAIL();
    }
  }
}

FirmwareBuild some_build(Rng& rng) {
  constexpr std::array<std::uint64_t, 5> kLines = {1'250'000'000, 1'250'000'001, 125'000'000, 3'125'000'000,
                                                   4'294'967'295};
  FirmwareBuild build{.line_rate = DcqcnSchedule::one_of(rng, kLines), .wrap32 = true};
  if (rng.below(3) == 0) build = {.line_rate = 50'000'000'000, .wrap32 = false};
  return build;
}

}  // namespace

TEST_CASE("lazy equals stepped: random CNPs, writes, register extremes", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 401));
  Rng rng(static_cast<std::uint64_t>(seed));
  DcqcnSchedule schedule;
  schedule.build = some_build(rng);
  schedule.initial = DcqcnSchedule::extreme(rng);
  const Edge end = 4000 + rng.below(8000);
  schedule.add_cnps(rng, end);
  if (rng.below(2) == 0) schedule.add_writes(rng, end);
  INFO("seed " << seed);
  compare(schedule, end, 1 + rng.below(2) * rng.below(400), rng);
}

TEST_CASE("lazy equals stepped: long idle times with every shortcut", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 13));
  Rng rng(static_cast<std::uint64_t>(seed) * 7919);
  DcqcnSchedule schedule;
  schedule.build = some_build(rng);
  schedule.initial = DcqcnSchedule::extreme(rng);
  schedule.initial.dcqcn_bypass = false;
  schedule.initial.rate_inc_interval = static_cast<std::uint32_t>(rng.below(8));
  schedule.initial.rhai =
      static_cast<std::uint32_t>(seed % 3 == 0 ? UINT32_MAX - rng.below(5000) : rng.below(5000));
  schedule.add_cnps(rng, 300);
  INFO("seed " << seed);
  compare(schedule, 600'000, 60'000, rng);
}

TEST_CASE("every change of Rc is found at its clock", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 101));
  Rng rng(static_cast<std::uint64_t>(seed) * 104729);
  DcqcnSchedule schedule;
  schedule.build = some_build(rng);
  schedule.initial = DcqcnSchedule::extreme(rng);
  schedule.initial.dcqcn_bypass = false;
  const Edge end = 20'000;
  ReactionPoint lazy(schedule.initial, schedule.build);
  DcqcnClockModel stepped(schedule.initial, schedule.build.line_rate, schedule.build.wrap32);
  const Edge cnp = 10 + rng.below(100);
  lazy.cnp(cnp);
  INFO("seed " << seed);
  std::uint64_t rc = stepped.rc;
  for (Edge n = 0; n <= end; ++n) {
    stepped.clock(n == cnp, schedule.initial, false);
    if (n <= cnp || stepped.rc == rc) continue;
    REQUIRE(lazy.advance_to_rate_change(end));
    REQUIRE(lazy.now() == n);
    REQUIRE(equal(lazy, stepped));
    rc = stepped.rc;
  }
  CHECK_FALSE(lazy.advance_to_rate_change(end));
}

TEST_CASE("valid parameters keep Rc between Rmin - 1 and the line rate", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 201));
  Rng rng(static_cast<std::uint64_t>(seed) * 31337);
  const FirmwareBuild build{.line_rate = 1'250'000'000};
  const FirmwareParameters p = DcqcnSchedule::legal(rng, build.line_rate);
  DcqcnSchedule schedule;
  schedule.add_cnps(rng, 100'000);
  ReactionPoint r(p, build);
  INFO("seed " << seed);
  for (const auto& [cnp, _] : schedule.cnps) {
    while (r.advance_to_rate_change(cnp)) {
      if (r.rc() + 1 < p.rmin || r.rc() > build.line_rate || r.rt() > build.line_rate) {
        INFO("Rc " << r.rc() << ", Rt " << r.rt() << ", Rmin " << p.rmin);
        FAIL();
      }
    }
    r.cnp(cnp);
  }
  CHECK(r.cnp_counter() != 0);
}

TEST_CASE("an idle hour costs one step, with the same result as many steps", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 31));
  Rng rng(static_cast<std::uint64_t>(seed) * 65537);
  FirmwareParameters p = DcqcnSchedule::legal(rng, 1'250'000'000);
  p.rate_inc_interval = static_cast<std::uint32_t>(rng.below(200));
  p.rhai = static_cast<std::uint32_t>(1 + rng.below(10));  // so small that the rate takes minutes to rise
  ReactionPoint once(p), often(p);
  once.cnp(100);
  often.cnp(100);
  const Edge hour = edge_until(3600 * kSecond);
  once.advance(hour);
  while (often.now() < hour) often.advance(std::min(hour, often.now() + 1 + rng.below(hour / 1000)));
  INFO("seed " << seed);
  CHECK(once.rc() == often.rc());
  CHECK(once.rt() == often.rt());
  CHECK(once.alpha() == often.alpha());
  CHECK(once.time_stage() == often.time_stage());
  // Later events also lead to equal states, which shows that the internal timers are equal.
  once.cnp(hour + 10);
  often.cnp(hour + 10);
  CHECK(once.advance_to_rate_change(hour + 100'000) == often.advance_to_rate_change(hour + 100'000));
  CHECK(once.now() == often.now());
  CHECK(once.rc() == often.rc());
}
