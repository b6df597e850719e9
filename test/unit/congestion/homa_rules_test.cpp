// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_rules.hpp"

#include "base/published_cdfs.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

namespace {

using Cutoffs = std::vector<std::uint32_t>;

void check_refused(const HomaParameters& p, const char* wanted) {
  CHECK_THROWS_WITH(HomaRules(p), Catch::Contains(wanted));
}

}  // namespace

TEST_CASE("Homa's parameters are checked", "[homa]") {
  HomaParameters p;
  p.pmtu = 0;
  check_refused(p, "pmtu");
  p = {};
  p.rtt_bytes = 0;
  check_refused(p, "rtt_bytes");
  p.rtt_bytes = UINT64_MAX;
  check_refused(p, "rtt_bytes");
  p = {};
  p.overcommit = 0;
  check_refused(p, "overcommit");
  p = {};
  p.priorities = 9;
  check_refused(p, "priorities");
  p.priorities = 4;
  check_refused(p, "cutoffs must leave");
  p.priorities = 5;
  CHECK_NOTHROW(HomaRules(p));
  p.cutoffs = {3, 2};
  check_refused(p, "cutoffs must not decrease");
  p = {};
  p.resend_interval = 0;
  check_refused(p, "resend_interval");
}

TEST_CASE("packets of a message, and those that need no grant", "[homa]") {
  const HomaRules rules{HomaParameters{}};
  CHECK(rules.rtt_packets() == 3);
  CHECK(rules.packets(0) == 1);
  CHECK(rules.packets(1) == 1);
  CHECK(rules.packets(4096) == 1);
  CHECK(rules.packets(4097) == 2);
  CHECK(rules.packets(UINT32_MAX) == 1U << 20);
  CHECK(rules.unscheduled(2) == 2);
  CHECK(rules.unscheduled(4) == 3);
  HomaParameters p;
  p.rtt_bytes = 12'289;
  CHECK(HomaRules(p).rtt_packets() == 4);
}

TEST_CASE("unscheduled packets use the upper levels, scheduled ones the lowest that suffice", "[homa]") {
  const HomaRules rules{HomaParameters{}};
  CHECK(rules.unscheduled_priority(0) == 7);
  CHECK(rules.unscheduled_priority(4096) == 7);
  CHECK(rules.unscheduled_priority(4097) == 6);
  CHECK(rules.unscheduled_priority(65'536) == 5);
  CHECK(rules.unscheduled_priority(UINT32_MAX) == 4);
  CHECK(rules.scheduled_priority(0, 1) == 0);
  CHECK(rules.scheduled_priority(0, 3) == 2);
  CHECK(rules.scheduled_priority(2, 3) == 0);
  CHECK(rules.scheduled_priority(0, 9) == 3);
  CHECK(rules.scheduled_priority(8, 9) == 0);
  HomaParameters one;
  one.cutoffs = {};
  CHECK(HomaRules(one).unscheduled_priority(UINT32_MAX) == 7);
}

TEST_CASE("cutoffs share the unscheduled bytes equally", "[homa][cutoffs]") {
  // The expected values come from the reference model.
  CHECK(equal_cutoffs(web_search_cdf(), 12'288, 1).empty());
  CHECK(equal_cutoffs(web_search_cdf(), 12'288, 4) == Cutoffs{33'505, 105'740, 1'725'075});
  CHECK(equal_cutoffs(web_search_cdf(), 1'250'000, 4) == Cutoffs{1'251'250, 2'502'500, 5'598'215});
  CHECK(equal_cutoffs(hadoop_cdf(), 12'288, 4) == Cutoffs{34'426, 54'851, 170'553});
  CHECK(equal_cutoffs(hadoop_cdf(), 9'700, 7) == Cutoffs{5'484, 35'079, 45'263, 66'342, 117'543, 296'683});
  // The lengths are uniform and all bytes are unscheduled. The messages that are longer than 1/√2 of the
  // maximum then contain half of the bytes.
  const Cutoffs uniform = equal_cutoffs(Cdf({{0, 0.0}, {1000, 1.0}}), 10'000, 2);
  REQUIRE(uniform.size() == 1);
  CHECK(uniform[0] == 708);
}

TEST_CASE("lengths that occur exactly count from their length on", "[homa][cutoffs]") {
  CHECK(equal_cutoffs(Cdf({{100, 1.0}}), 1000, 2) == Cutoffs{100});
  CHECK(equal_cutoffs(Cdf({{100, 0.75}, {300, 0.75}, {300, 1.0}}), 1000, 2) == Cutoffs{100});
  CHECK(equal_cutoffs(Cdf({{100, 0.5}, {300, 0.5}, {300, 1.0}}), 1000, 2) == Cutoffs{300});
}
