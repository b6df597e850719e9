// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue.hpp"
#include "conformance/target.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;

namespace {

Case small_case(const char* id, Level level = Level::kShall, Needs needs = 0) {
  Case out;
  out.id = id;
  out.level = level;
  out.needs = needs;
  return out;
}

const Catalogue& small_catalogue() {
  static const Catalogue kSmall(
      {{"AAA",
        "first",
        {small_case("AAA-01"), small_case("AAA-02", Level::kShould),
         small_case("AAA-03", Level::kShall, kDestructive), small_case("AAA-04", Level::kMeasure)}},
       {"CNP", "second", {small_case("CNP-01"), small_case("CNP-14")}},
       {"STR", "third", {small_case("STR-01"), small_case("STR-02", Level::kMay)}}});
  return kSmall;
}

std::string ids(const Selection& selection) {
  std::string out;
  for (const Case* const c : select(small_catalogue(), selection)) out += (out.empty() ? "" : " ") + c->id;
  return out;
}

std::string why(const char* id, const Selection& selection) {
  return why_not_selected(*small_catalogue().find(id), selection);
}

}  // namespace

TEST_CASE("without a list, all cases are selected that neither harm nor stress", "[selection]") {
  CHECK(ids({}) == "AAA-01 AAA-02 AAA-04 CNP-01");
  CHECK(why("AAA-03", {}) == "may crash the target: needs --destructive");
  CHECK(why("STR-01", {}) == "sends at a high rate: needs --stress");
  CHECK(why("CNP-14", {}) == "sends at a high rate: needs --stress");
}

TEST_CASE("groups and cases are selected by name", "[selection]") {
  CHECK(ids({.cases = {"AAA"}}) == "AAA-01 AAA-02 AAA-04");
  CHECK(ids({.cases = {"CNP-01", "AAA-02"}}) == "AAA-02 CNP-01");  // in the order of the catalogue
  CHECK(why("CNP-01", {.cases = {"AAA"}}) == "not in --cases");
  CHECK(why("AAA-01", {.cases = {"AAA"}}).empty());
}

TEST_CASE("names are excluded", "[selection]") {
  CHECK(ids({.cases = {"!AAA"}}) == "CNP-01");
  CHECK(ids({.cases = {"AAA", "!AAA-02"}}) == "AAA-01 AAA-04");
  CHECK(ids({.cases = {"!AAA-02", "!CNP"}}) == "AAA-01 AAA-04");
  CHECK(ids({.cases = {"!AAA", "AAA-01"}}) == "AAA-01");
  CHECK(ids({.cases = {"AAA-01", "!AAA-01"}}).empty());
}

TEST_CASE("levels, stress and destructive cases", "[selection]") {
  CHECK(ids({.levels = {Level::kShould, Level::kMeasure}}) == "AAA-02 AAA-04");
  CHECK(why("AAA-01", {.levels = {Level::kMay}}) == "not of the level given by --level");
  CHECK(ids({.stress = true}) == "AAA-01 AAA-02 AAA-04 CNP-01 CNP-14 STR-01 STR-02");
  CHECK(ids({.destructive = true}) == "AAA-01 AAA-02 AAA-04 CNP-01 AAA-03");  // harmful cases run last
  CHECK(ids({.cases = {"AAA-03"}}).empty());
  CHECK(ids({.cases = {"AAA-03"}, .destructive = true}) == "AAA-03");
}

TEST_CASE("quick takes what shall hold and does not stress", "[selection]") {
  CHECK(ids({.quick = true}) == "AAA-01 CNP-01");
  CHECK(why("AAA-02", {.quick = true}) == "not part of --quick");
  CHECK(ids({.quick = true, .stress = true}) == "AAA-01 CNP-01");
}

TEST_CASE("an unknown name is refused with the nearest one", "[selection]") {
  const auto refused = [](const char* name, const char* nearest) {
    INFO(name);
    CHECK_THROWS_WITH(select(small_catalogue(), {.cases = {name}}),
                      Contains("unknown case or group") &&
                          Contains(std::string("the nearest is ") + nearest) &&
                          Contains("--list prints all"));
  };
  refused("AAA-1", "AAA-01");
  refused("aaa", "AAA");
  refused("!AAB-02", "AAA-02");
  refused("STRR", "STR");
  refused("", "AAA");
  refused("!", "AAA");
}

TEST_CASE("the catalogue finds cases and groups", "[selection]") {
  CHECK(small_catalogue().size() == 8);
  CHECK(small_catalogue().find("CNP-14")->id == "CNP-14");
  CHECK(small_catalogue().find("CNP") == nullptr);
  CHECK(small_catalogue().find_group("CNP")->title == "second");
  CHECK(small_catalogue().find_group("CNP-14") == nullptr);
}

TEST_CASE("the quick selection of the catalogue", "[selection]") {
  const Catalogue catalogue;
  const auto quick = select(catalogue, {.quick = true});
  CHECK(quick.size() > 150);
  for (const Case* const c : quick) {
    INFO(c->id);
    CHECK(c->level == Level::kShall);
    CHECK(c->group() != "STR");
    CHECK((c->needs & kDestructive) == 0);
  }
  // With every permission, nothing is left out.
  CHECK(select(catalogue, {.stress = true, .destructive = true}).size() == catalogue.size());
}

TEST_CASE("a case is applicable if the target has what it needs", "[selection]") {
  Capabilities all{.fresh_qps = true,
                   .memory = true,
                   .receives = true,
                   .states = true,
                   .counters = true,
                   .v6 = true,
                   .vlan = true,
                   .two_ips = true,
                   .reads = true,
                   .atomics = true,
                   .sends = true,
                   .notification_point = true,
                   .line_rate = true};
  struct Row {
    Needs need;
    bool Capabilities::*member;
    const char* why;
  };
  const Row rows[] = {
      {kNeedsReceives, &Capabilities::receives, "cannot post receives"},
      {kNeedsSink, &Capabilities::states, "special attributes"},
      {kNeedsCounters, &Capabilities::counters, "no hardware counters"},
      {kNeedsVlan, &Capabilities::vlan, "no interface with a VLAN"},
      {kNeedsTwoIps, &Capabilities::two_ips, "no second address"},
      {kNeedsV6, &Capabilities::v6, "no IPv6 address"},
      {kNeedsReads, &Capabilities::reads, "RDMA READ"},
      {kNeedsAtomics, &Capabilities::atomics, "atomic operations"},
      {kNeedsSends, &Capabilities::sends, "SEND"},
      {kNeedsCnps, &Capabilities::notification_point, "no notification point"},
      {kNeedsRate, &Capabilities::line_rate, "the rate of the link"},
  };
  for (const Row& row : rows) {
    const Case c = small_case("X-01", Level::kShall, row.need);
    CHECK(why_not_applicable(c, all).empty());
    Capabilities without = all;
    without.*row.member = false;
    CHECK_THAT(why_not_applicable(c, without), Contains(row.why));
    CHECK(why_not_applicable(small_case("X-02"), without).empty());
  }
  // Cases that need memory also run on a target whose memory cannot be accessed. Then only the answers are
  // judged.
  Capabilities no_memory = all;
  no_memory.memory = false;
  CHECK(why_not_applicable(small_case("X-01", Level::kShall, kNeedsMemory), no_memory).empty());
  Case large = small_case("X-01");
  large.parts.resize(2);
  large.parts[1].qps[0].pmtu = 4096;
  CHECK(why_not_applicable(large, all) ==
        "the case needs a path MTU of 4096, but that of the target is 1024");
  all.active_mtu = 4096;
  CHECK(why_not_applicable(large, all).empty());
}

TEST_CASE("needs, levels and severities have names", "[selection]") {
  for (unsigned bit = 0; bit < need_names().size(); ++bit) {
    CHECK(need_of(need_names()[bit]) == static_cast<Needs>(1U << bit));
    CHECK(text_of(static_cast<Needs>(1U << bit)) == need_names()[bit]);
  }
  CHECK(text_of(kNeedsMemory | kNeedsRate) == "memory rate");
  CHECK(text_of(0).empty());
  CHECK_FALSE(need_of("wire"));
  for (const Level level : {Level::kShall, Level::kShould, Level::kMay, Level::kMeasure, Level::kRobustness})
    CHECK(level_of(name_of(level)) == level);
  for (const Severity s :
       {Severity::kCritical, Severity::kHigh, Severity::kMedium, Severity::kLow, Severity::kInfo})
    CHECK(severity_of(name_of(s)) == s);
  CHECK_FALSE(level_of("Shall"));
  CHECK_FALSE(severity_of(""));
}
