// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_result.hpp"

#include "conformance_sample.hpp"

#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Json = nlohmann::ordered_json;

namespace {

const conformance::Catalogue& changed_catalogue() {
  static const conformance::Catalogue kCatalogue = test::sample_catalogue();
  return kCatalogue;
}

const Json& document() {
  static const Json kDocument = make_conformance_result(test::sample_conformance(changed_catalogue()), false);
  return kDocument;
}

const Json& case_of(const std::string& id) {
  for (const Json& c : document().at("cases")) {
    if (c.at("id") == id) return c;
  }
  throw std::out_of_range(id);
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> out;
  for (const auto& [key, value] : object.items()) out.insert(key);
  return out;
}

bool has_keys(const Json& object, const std::set<std::string>& keys) {
  const auto found = keys_of(object);
  return std::includes(found.begin(), found.end(), keys.begin(), keys.end());
}

}  // namespace

TEST_CASE("the result has its keys", "[conformance_result]") {
  CHECK(keys_of(document()) == std::set<std::string>{"schema_version", "device", "target", "profile", "seed",
                                                     "seconds", "timing", "cases", "totals", "not_seen",
                                                     "verdict"});
  CHECK(document().at("schema_version") == 1);
  CHECK(document().at("device") == Json{{"name", "softfeb"},
                                        {"address", "10.0.0.2"},
                                        {"mac", "02:00:00:00:00:02"},
                                        {"driver", "softfeb"}});
  CHECK(document().at("target") == "own:");
  CHECK(document().at("profile") == "sample");
  CHECK(document().at("timing") == Json{{"round_trip_p50_us", 2.0},
                                        {"round_trip_p99_us", 2.0},
                                        {"t_ack_us", 1000.0},
                                        {"silence_us", 5000.0},
                                        {"t_case_us", 2'000'000.0}});
  CHECK(document().at("not_seen") == Json::array({"PSN-01"}));
  CHECK(document().at("verdict") == "fail");
}

TEST_CASE("the totals count the cases", "[conformance_result]") {
  const Json& totals = document().at("totals");
  CHECK(keys_of(totals) == std::set<std::string>{"pass", "fail", "known_deviation", "inconclusive",
                                                 "not_applicable", "measured", "not_run"});
  std::map<std::string, int> counted;
  for (const Json& c : document().at("cases")) ++counted[c.at("verdict")];
  CHECK(totals.at("pass") == counted["pass"]);
  CHECK(totals.at("fail") == 4);
  CHECK(totals.at("known_deviation") == 2);
  CHECK(totals.at("inconclusive") == 1);
  CHECK(totals.at("not_applicable") == counted["not applicable"]);
  CHECK(totals.at("measured") == counted["measured"]);
  CHECK(totals.at("not_run") == 0);
}

TEST_CASE("every case has its keys", "[conformance_result]") {
  for (const Json& c : document().at("cases")) {
    CAPTURE(c.at("id"));
    CHECK(has_keys(c, {"id", "title", "section", "level", "severity", "verdict", "seconds", "attempts",
                       "expected", "observed", "checkers", "rules", "figures", "files"}));
    CHECK((c.at("verdict") == "pass" || c.at("verdict") == "measured" || c.contains("reason")));
    for (const Json& p : c.at("observed")) {
      CHECK(has_keys(p, {"t_us", "direction", "opcode", "psn", "comment"}));
      CHECK(p.contains("syndrome") == p.contains("msn"));
    }
  }
}

TEST_CASE("a failed case says what came", "[conformance_result]") {
  const Json& c = case_of("PSN-04");
  CHECK(c.at("title") == "Gap");
  CHECK(c.at("level") == "shall");
  CHECK(c.at("severity") == "critical");
  CHECK(c.at("verdict") == "fail");
  CHECK(c.at("reason") == "unexpected NAK 0x60 PSN e+1, MSN 1");
  CHECK(c.at("attempts") == 1);
  CHECK(c.at("files") == Json::array({"cases/PSN-04.html", "cases/PSN-04.pcapng"}));
  const Json& observed = c.at("observed");
  REQUIRE(observed.size() == 4);
  const int e = observed[0].at("psn");
  CHECK(
      observed[0] ==
      Json{{"t_us", 0.0}, {"direction", "sent"}, {"opcode", 10}, {"psn", e}, {"comment", "step 1: O(e,8)!"}});
  CHECK(observed[1].at("psn") == (e + 2) % (1 << 24));
  CHECK(observed[2] == Json{{"t_us", 2.0},
                            {"direction", "received"},
                            {"opcode", 17},
                            {"psn", e},
                            {"syndrome", 0x1f},
                            {"msn", 1},
                            {"comment", "step 1: expected"}});
  CHECK(observed[3].at("syndrome") == 0x60);
  CHECK(observed[3].at("comment") == "step 1: unexpected: NAK 0x60 PSN e+1, MSN 1");
}

TEST_CASE("answers that did not come, wrong bytes and deviations are listed", "[conformance_result]") {
  const Json& missing = case_of("BAS-08").at("missing");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0] ==
        Json{{"part", 1}, {"step", 1}, {"t_us", missing[0].at("t_us")}, {"what", "ACK e+1 msn 2"}});
  CHECK(missing[0].at("t_us") >= 5000.0);
  const Json& memory = case_of("MEM-02").at("memory");
  REQUIRE(memory.size() == 1);
  CHECK(memory[0].at("region") == 0);
  CHECK(memory[0].at("offset") == 0x4001);
  CHECK(memory[0].at("guard") == true);
  CHECK_THAT(memory[0].at("expected").get<std::string>(), Catch::StartsWith("eeee"));
  CHECK_THAT(memory[0].at("found").get<std::string>(), Catch::StartsWith("7788"));
  CHECK(case_of("MEM-02").at("state") == "ERR");
  CHECK(case_of("LEN-17").at("deviation") == "LAST is compared with the RETH's length");
  CHECK_FALSE(case_of("PSN-04").contains("deviation"));
  CHECK_FALSE(case_of("PSN-04").contains("memory"));
}

TEST_CASE("figures, rules, faults and completions are listed", "[conformance_result]") {
  CHECK(case_of("ACK-09").at("figures") ==
        Json::array({{{"name", "ack_p50"}, {"value", 2.0}, {"unit", "us"}},
                     {{"name", "ack_p99"}, {"value", 2.0}, {"unit", "us"}, {"limit", 1000.0}},
                     {{"name", "ack_max"}, {"value", 2.0}, {"unit", "us"}}}));
  const Json& los = case_of("LOS-01");
  CHECK(los.at("verdict") == "inconclusive");
  CHECK(los.at("attempts") == 2);
  CHECK(los.at("rules")[0] == Json{{"rule", "{on: {qp: any, psn: +1}, do: drop}"}, {"hits", 1}});
  CHECK(los.at("rules")[1].at("hits") == 0);
  CHECK(los.at("observed")[1].at("direction") == "not sent");
  CHECK(los.at("foreign") == 1);
  CHECK(los.at("completions")[0].at("success") == false);
}

TEST_CASE("the document is UTF-8, whatever the target says", "[conformance_result]") {
  const std::string text = conformance_text(document());
  const Json back = Json::parse(text);
  std::string status;
  for (const Json& c : back.at("cases")) {
    if (c.at("id") == "LOS-01") status = c.at("completions")[0].at("status");
  }
  CHECK(status == "<b>\x01\xef\xbf\xbd & \"flushed\"</b>");
  CHECK(text.back() == '\n');
}

TEST_CASE("a run that ended early is complete, too", "[conformance_result]") {
  conformance::SuiteResult suite;
  suite.cases.push_back({.of = changed_catalogue().find("BAS-01"), .reason = "the run ended before"});
  suite.no_baseline = "nothing came";
  Json j = make_conformance_result(suite, false);
  CHECK(j.at("no_baseline") == "nothing came");
  CHECK(j.at("verdict") == "no baseline");
  CHECK(j.at("totals").at("not_run") == 1);
  CHECK(j.at("cases")[0].at("files") == Json::array({"cases/BAS-01.html"}));
  suite.no_baseline.reset();
  suite.dead = "LEN-04";
  j = make_conformance_result(suite, false);
  CHECK(j.at("dead") == "LEN-04");
  CHECK(j.at("verdict") == "fail");
}

TEST_CASE("strict changes the verdict of the document", "[conformance_result]") {
  conformance::SuiteResult suite;
  suite.not_seen = {"PSN-01"};
  CHECK(make_conformance_result(suite, false).at("verdict") == "pass");
  CHECK(make_conformance_result(suite, true).at("verdict") == "fail");
}
