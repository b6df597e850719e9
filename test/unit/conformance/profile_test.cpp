// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/profile.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

const Catalogue& all_cases() {
  static const Catalogue kCatalogue;
  return kCatalogue;
}

Profile parsed(const std::string& text) {
  std::string base;
  return parse_profile(text, "p.yaml", all_cases(), base);
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const NotationError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a profile is read with all its keys", "[profile]") {
  std::string base;
  const Profile p = parse_profile(R"(name: mine
base: iba
device: a device
sources: [measured]
timing: {t_ack: 100ms, silence: 250ms}
lacks: [notification_point, icrc_counter]
has: [reads]
orders: {bounds_before_length: true}
cnps_with_naks: true
limits: {ACK-09.p99: 1ms, LOS-11.p50: 0.25}
deviations:
  LEN-17: {observe: "ACK e+1 msn 1", why: "early", source: measured, kernels: "6.1", until: "7"}
  UC-08: {observe: silence, written: none, tolerated: [1], completions: [], state: rts, why: "cut"}
  LEN-04: {destructive: true, why: "panic"}
)",
                                  "p.yaml", all_cases(), base);
  CHECK(base == "iba");
  CHECK(p.name == "mine");
  CHECK(p.t_ack == 100 * kMillisecond);
  CHECK(p.silence == 250 * kMillisecond);
  CHECK(p.lacks == std::set<std::string>{"icrc_counter", "notification_point"});
  CHECK(p.has == std::set<std::string>{"reads"});
  CHECK(p.bounds_before_length == true);
  CHECK(p.cnps_with_naks == true);
  CHECK(p.limits.at("ACK-09.p99") == Approx(1000));
  CHECK(p.limits.at("LOS-11.p50") == Approx(0.25));
  REQUIRE(p.deviations.size() == 3);
  CHECK(p.deviations.at("LEN-17").observe->items.size() == 1);
  CHECK(p.deviations.at("LEN-17").versions == "6.1");
  CHECK(p.deviations.at("LEN-17").until == "7");
  const Deviation& uc = p.deviations.at("UC-08");
  CHECK(uc.written->kind == WrittenSpec::Kind::kNone);
  CHECK(uc.written->tolerated == std::vector<std::uint32_t>{1});
  CHECK(uc.completions->empty());
  CHECK(uc.state == TargetState::kRts);
  CHECK(p.deviations.at("LEN-04").destructive);
  CHECK_FALSE(p.deviations.at("LEN-04").says_what());
}

TEST_CASE("a profile written as YAML is read back", "[profile]") {
  const Profile p = parsed(R"(name: mine
device: "a: device"
timing: {silence: 5ms}
lacks: [reads]
orders: {bounds_before_length: true}
limits: {ACK-09.p99: 1500us}
deviations:
  LEN-18: {observe: "ACK e+1 msn 1", completions: [{length: 3P}], why: "early: yes, \"quoted\""}
)");
  const std::string text = to_yaml(p);
  const Profile again = parsed(text);
  CHECK(to_yaml(again) == text);
  CHECK(again.device == p.device);
  CHECK(again.silence == p.silence);
  CHECK(again.lacks == p.lacks);
  CHECK(again.bounds_before_length == true);
  CHECK(again.limits == p.limits);
  CHECK(again.deviations.at("LEN-18").why == "early: yes, \"quoted\"");
  CHECK(again.deviations.at("LEN-18").completions == p.deviations.at("LEN-18").completions);
}

TEST_CASE("errors of a profile name line, key and fix", "[profile]") {
  CHECK_THAT(
      refusal("name: x\ndeviatons: {}\n"),
      Catch::StartsWith("p.yaml:2: unknown key 'deviatons'; the nearest is deviations; fix: use one of"));
  CHECK_THAT(refusal("device: x\n"), Catch::StartsWith("p.yaml:1: name: it is missing"));
  CHECK_THAT(refusal("name: x\nlacks: [reeds]\n"),
             Catch::StartsWith("p.yaml:2: lacks: unknown capability 'reeds'; the nearest is reads; fix:"));
  CHECK_THAT(refusal("name: x\nlacks: reads\n"),
             Catch::StartsWith("p.yaml:2: lacks: a list is expected; fix:"));
  CHECK_THAT(refusal("name: x\ndeviations:\n  LEN-99: {why: y}\n"),
             Catch::StartsWith("p.yaml:3: unknown case 'LEN-99'; the nearest is LEN-"));
  CHECK_THAT(refusal("name: x\ndeviations:\n  LEN-17: {why: \"TODO: find out\"}\n"),
             Catch::StartsWith("p.yaml:3: LEN-17.why: the reason has not been filled in; fix:"));
  CHECK_THAT(refusal("name: x\ndeviations:\n  LEN-17: {observe: silence}\n"), Catch::Contains("LEN-17.why"));
  CHECK_THAT(refusal("name: x\ndeviations:\n  LEN-17: {why: y,\n    observe: ACQ e}\n"),
             Catch::StartsWith("p.yaml:4: LEN-17.observe: 'ACQ e' is not an answer"));
  CHECK_THAT(refusal("name: x\ndeviations:\n  LEN-17: {why: y}\n  LEN-17: {why: z}\n"),
             Catch::StartsWith("p.yaml:4: deviations: LEN-17 stands here twice"));
  CHECK_THAT(refusal("name: x\nlimits: {ACK-09: 1}\n"),
             Catch::StartsWith("p.yaml:2: limits: 'ACK-09' names no"));
  CHECK_THAT(refusal("name: x\nlimits: {AKC-09.p99: 1}\n"), Catch::Contains("the nearest is ACK-09"));
  CHECK_THAT(refusal("name: x\nlimits: {ACK-09.p99: fast}\n"), Catch::Contains("'fast' is not a time; fix:"));
  CHECK_THAT(refusal("name: x\ntiming: {t_ack: 0ms}\n"), Catch::Contains("a window of 0"));
  CHECK_THAT(refusal("name: x\ntiming: {t_ack: 99999999999999s}\n"), Catch::Contains("is not a time"));
  CHECK_THAT(refusal("name: x\ncnps_with_naks: maybe\n"),
             Catch::Contains("'maybe' is neither true nor false"));
  CHECK_THAT(refusal("name: [\n"), Catch::StartsWith("p.yaml:2: "));
  CHECK_THAT(refusal(""), Catch::Contains("a section with keys is expected"));
}

TEST_CASE("a profile extends its base", "[profile]") {
  const std::map<std::string, std::string> files = {
      {"a", "name: a\nbase: b\nhas: [reads]\ncnps_with_naks: false\ndeviations:\n  UC-09: {why: own}\n"},
      {"b",
       "name: b\ndevice: d\nlacks: [reads, sends]\ncnps_with_naks: true\nlimits: {ACK-09.p99: 1}\n"
       "deviations:\n  UC-09: {why: base}\n  UC-10: {why: base}\n"},
      {"c", "name: c\nbase: d\n"},
      {"d", "name: d\nbase: c\n"}};
  const auto read = [&](const std::string& name, const std::string& /*named_by*/) {
    return ProfileText{files.at(name), name + ".yaml"};
  };
  const Profile a = resolve_profile("a", all_cases(), read);
  CHECK(a.name == "a");
  CHECK(a.device == "d");
  CHECK(a.lacks == std::set<std::string>{"sends"});
  CHECK(a.cnps_with_naks == false);
  CHECK(a.limits.at("ACK-09.p99") == 1);
  CHECK(a.deviations.at("UC-09").why == "own");
  CHECK(a.deviations.at("UC-10").why == "base");
  CHECK_THROWS_WITH(resolve_profile("c", all_cases(), read),
                    Catch::Contains("d.yaml: base: profiles extend each other in a circle: c.yaml → d.yaml → "
                                    "c.yaml; fix:"));
}

TEST_CASE("a profile makes cases not applicable", "[profile]") {
  const auto why = [](const char* id, const std::string& text, bool destructive = false) {
    return why_not_applicable(*all_cases().find(id), parsed("name: x\n" + text), destructive);
  };
  CHECK_THAT(why("CNP-01", "lacks: [notification_point]\n"), Catch::Contains("lacks notification_point"));
  CHECK_THAT(why("CRC-15", "lacks: [icrc_counter]\n"), Catch::Contains("lacks icrc_counter"));
  CHECK(why("CRC-15", "lacks: [reads]\n").empty());
  CHECK(why("BAS-01", "lacks: [notification_point, icrc_counter, reads]\n").empty());
  const std::string harmful = "deviations:\n  LEN-10: {destructive: true, why: it dies}\n";
  CHECK_THAT(why("LEN-10", harmful), Catch::Contains("harms the target (it dies): needs --destructive"));
  CHECK(why("LEN-10", harmful, true).empty());
}

TEST_CASE("a figure above its limit makes a case fail", "[profile]") {
  const Profile p = parsed("name: x\nlimits: {ACK-09.p99: 1ms, ACK-09.p50: 1ms, ACK-09.wrong: 1}\n");
  CaseResult r{.of = all_cases().find("ACK-09"), .verdict = Verdict::kMeasured, .attempts = 1};
  r.figures = {{.name = "p50", .value = 500, .unit = "us"}, {.name = "p99", .value = 1000, .unit = "us"}};
  apply_limits(p, r);
  CHECK(r.verdict == Verdict::kMeasured);
  CHECK(r.figures[1].limit == Approx(1000));
  r.figures[1].value = 3000;
  apply_limits(p, r);
  CHECK(r.verdict == Verdict::kFail);
  CHECK(r.reason == "p99 is 3000 us, above the profile's limit of 1000 us");
  SuiteResult suite;
  suite.cases.push_back(r);
  CHECK(not_seen(p, suite) == std::vector<std::string>{"ACK-09.wrong"});
}
