// SPDX-License-Identifier: BSD-3-Clause
// Tests traffic runs against softfeb's own receiver, in virtual time.
#include "conformance/own_target.hpp"
#include "conformance/traffic_stats.hpp"
#include "conformance/virtual_run.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Contains;

namespace {

/// Returns a catalogue with one case that has the traffic `text`.
Catalogue one_case(const std::string& text, const std::string& level = "shall", const char* service = "RC") {
  return Catalogue(
      {parse_group("group: LOS\ntitle: t\ncases:\n  - id: LOS-01\n    title: t\n    section: s\n"
                   "    service: " +
                       std::string(service) + "\n    opcodes: '06'\n    severity: low\n    level: " + level +
                       "\n    stimulus: s\n    expected: e\n    traffic: " + text + "\n",
                   "T.yaml")});
}

CaseResult run_case(const Catalogue& catalogue,
                    const std::function<TargetReply(OwnTarget&, const TargetRequest&)>& answer = nullptr) {
  const OwnTargetConfig addresses = virtual_addresses();
  OwnTarget own(addresses);
  VirtualTarget target = virtual_target(own, addresses);
  if (answer) target.answer = [&](const TargetRequest& r) { return answer(own, r); };
  const SuiteConfig config{
      .cases = select(catalogue, {.stress = true}), .profile = {}, .target = "own:virtual", .attempts = 1};
  return run_in_virtual_time(catalogue, config, target).cases.front();
}

CaseResult run_case(const std::string& text) { return run_case(one_case(text)); }

double figure_named(const CaseResult& result, const std::string& name) {
  for (const Figure& f : result.figures) {
    if (f.name == name) return f.value;
  }
  FAIL("there is no figure " << name);
  return 0;
}

std::string traffic_refusal(const std::string& text, const char* service = "RC") {
  try {
    one_case(text, "shall", service);
  } catch (const NotationError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a run without faults passes", "[traffic]") {
  const CaseResult result = run_case("{naks: 0, timeouts: 0, figures: [goodput, messages, retransmissions]}");
  CHECK(result.reason.empty());
  CHECK(result.verdict == Verdict::kPass);
  CHECK(figure_named(result, "messages") == 16);
  CHECK(figure_named(result, "retransmissions") == 0);
  CHECK(figure_named(result, "goodput") > 8);
  CHECK(figure_named(result, "goodput") < 10);
}

TEST_CASE("a lost packet is reported by one NAK", "[traffic]") {
  const std::string rules = "rules: [{on: {qp: any, psn: +100}, do: drop}]";
  CHECK(run_case("{naks: 1, timeouts: 0, " + rules + "}").verdict == Verdict::kPass);
  const CaseResult none = run_case("{naks: 0, " + rules + "}");
  CHECK(none.verdict == Verdict::kFail);
  CHECK(none.reason == "NAKs 0x60: 1 instead of 0");
  const CaseResult timeouts = run_case("{timeouts: 2..9, " + rules + "}");
  CHECK_THAT(timeouts.reason, Contains("timeouts: 0 instead of 2 to 9"));
  REQUIRE(none.rules.size() == 1);
  CHECK(none.rules.front().hits == 1);
}

TEST_CASE("a rule that no packet meets makes a run inconclusive", "[traffic]") {
  const CaseResult result = run_case("{rules: [{on: {qp: any, psn: +100000}, do: drop}]}");
  CHECK(result.verdict == Verdict::kInconclusive);
  CHECK_THAT(result.reason, Contains("psn: +100000"));
}

TEST_CASE("wrong bytes in memory are found", "[traffic]") {
  const auto spoil = [](OwnTarget& own, const TargetRequest& request) {
    TargetReply reply = own.answer(request);
    const auto* const crc = std::get_if<CrcRequest>(&request);
    if (crc != nullptr && crc->offset == 131'072) reply.crc ^= 1;
    const auto* const read = std::get_if<ReadRequest>(&request);
    if (read != nullptr && read->offset == 131'072) reply.bytes[77] ^= 0x10;
    return reply;
  };
  const CaseResult result = run_case(one_case("{}"), spoil);
  CHECK(result.verdict == Verdict::kFail);
  REQUIRE(result.memory.size() == 1);
  CHECK(result.memory.front().offset == 131'072 + 77);
  CHECK(result.memory.front().expected.front() == (result.memory.front().found.front() ^ 0x10));
}

TEST_CASE("a completion that is missing is found", "[traffic]") {
  const auto lose = [count = 0](OwnTarget& own, const TargetRequest& request) mutable {
    TargetReply reply = own.answer(request);
    if (!reply.completions.empty() && count++ == 2) reply.completions.erase(reply.completions.begin());
    return reply;
  };
  const std::string text = "{message: 512, messages: 100, immediate: true, receives: 16}";
  CHECK(run_case(one_case(text)).verdict == Verdict::kPass);
  const CaseResult result = run_case(one_case(text), lose);
  CHECK(result.verdict == Verdict::kFail);
  CHECK(result.reason == "immediates: 99 instead of 100");
}

TEST_CASE("counters are compared with the wire", "[traffic]") {
  const std::string text =
      "{counters: {icrc_errors: wire}, rules: [{on: {qp: any, psn: +9}, do: {corrupt: {at: icrc, xor: 1}}}]}";
  const auto more = [](OwnTarget& own, const TargetRequest& request) {
    TargetReply reply = own.answer(request);
    if (reply.counters["icrc_errors"] != 0) ++reply.counters["icrc_errors"];
    return reply;
  };
  CHECK(run_case(one_case(text)).verdict == Verdict::kPass);
  CHECK_THAT(run_case(one_case(text), more).reason, Contains("counter icrc_errors rose by 2 instead of 1"));
  CHECK(run_case(one_case(text, "measure"), more).verdict == Verdict::kMeasured);
}

TEST_CASE("a run goes on with the queue pairs that the target opens", "[traffic]") {
  const auto refuse = [open = 0](OwnTarget& own, const TargetRequest& request) mutable {
    TargetReply reply;
    reply.error = "no more queue pairs";
    if (std::holds_alternative<OpenRequest>(request) && open++ > 5) return reply;
    return own.answer(request);
  };
  const std::string text = "qps: 10, message: 1024, figures: [queue_pairs]}";
  const CaseResult fewer = run_case(one_case("{fewer_qps: true, " + text), refuse);
  CHECK(fewer.verdict == Verdict::kPass);
  CHECK(figure_named(fewer, "queue_pairs") == 5);  // six queue pairs are opened, one of them by the canary
  const CaseResult all = run_case(one_case("{" + text), refuse);
  CHECK(all.verdict == Verdict::kInconclusive);
  CHECK(all.reason == "no more queue pairs");
}

TEST_CASE("a run ends when nothing is acknowledged any more", "[traffic]") {
  const CaseResult result = run_case("{rules: [{on: {qp: any, direction: rx, iteration: any}, do: drop}]}");
  CHECK(result.verdict == Verdict::kFail);
  CHECK_THAT(result.reason, Contains("no further packet was acknowledged"));
  CHECK(result.seconds < 2);
}

TEST_CASE("the clean queue pair is not disturbed, and is compared with a run alone", "[traffic]") {
  const CaseResult result = run_case(
      "{qps: 4, duration: 3ms, clean_rate: 500Mb/s, rules: [{on: {qp: any, every: 50}, do: drop}],"
      " figures: [clean_goodput, clean_loss]}");
  CHECK(result.reason.empty());
  CHECK(figure_named(result, "clean_goodput") == Approx(0.5).epsilon(0.05));
  CHECK(figure_named(result, "clean_loss") < 1);
}

TEST_CASE("a queue pair that was closed must not answer", "[traffic]") {
  const std::string text = "{qps: 2, duration: 1ms, churn: 20}";
  CHECK(run_case(text).verdict == Verdict::kPass);
  const auto keep = [](OwnTarget& own, const TargetRequest& request) {
    if (std::holds_alternative<CloseRequest>(request)) return TargetReply{};
    return own.answer(request);
  };
  CHECK_THAT(run_case(one_case(text), keep).reason, Contains("a queue pair that it had destroyed"));
}

TEST_CASE("UC packets that were dropped must not be in memory", "[traffic]") {
  const std::string text = "{message: 512, messages: 100, rules: [{on: {qp: any, psn: +7}, do: drop}]}";
  CHECK(run_case(one_case(text, "shall", "UC")).verdict == Verdict::kPass);
}

TEST_CASE("two runs with the same seed are equal", "[traffic]") {
  const std::string text = "{message: [1, 20000], messages: 40, loss: 2%, figures: [retransmissions, naks]}";
  const CaseResult a = run_case(text), b = run_case(text);
  CHECK(a.verdict == Verdict::kPass);
  CHECK(a.seconds == b.seconds);
  CHECK(figure_named(a, "retransmissions") == figure_named(b, "retransmissions"));
  CHECK(figure_named(a, "naks") > 0);
}

TEST_CASE("CNPs show what shares their interval", "[traffic]") {
  TrafficSpec spec;
  spec.figures = {TrafficFigure::kCnpScope, TrafficFigure::kCnpJain, TrafficFigure::kCnpGap};
  const auto scope = [&](Time second, std::uint32_t address) {
    TrafficStats stats;
    stats.qps = {{}, {.address = address}};
    for (Time t = 0; t < 10; ++t) {
      for (std::size_t k = 0; k < 2; ++k) {
        const Time at = t * 50 * kMicrosecond + k * second;
        stats.qps[k].cnps.add(at);
        stats.cnps.add(at);
      }
    }
    return figures_of(spec, stats);
  };
  CHECK(scope(kMicrosecond, 0)[0].text == "queue pair");
  CHECK(scope(25 * kMicrosecond, 0)[0].text == "wider than a queue pair");
  CHECK(scope(kMicrosecond, 1)[0].text == "IP address pair or narrower");
  CHECK(scope(25 * kMicrosecond, 1)[0].text == "wider than an IP address pair");
  CHECK(scope(kMicrosecond, 0)[1].value == Approx(1));
  CHECK(scope(kMicrosecond, 0)[2].value == Approx(50));
}

TEST_CASE("mistakes in a run of the ordinary sender are refused", "[traffic]") {
  CHECK_THAT(traffic_refusal("{mesage: 5}"), Contains("line 13") && Contains("message"));
  CHECK_THAT(traffic_refusal("{message: 0}"), Contains("write a length or region"));
  CHECK_THAT(traffic_refusal("{message: [5, 4]}"), Contains("at most the longest one"));
  CHECK_THAT(traffic_refusal("{qps: 0}"), Contains("'0' is out of range"));
  CHECK_THAT(traffic_refusal("{addresses: 3}"), Contains("one or two addresses"));
  CHECK_THAT(traffic_refusal("{loss: 200%}"), Contains("fix: "));
  CHECK_THAT(traffic_refusal("{clean_rate: 1Gb/s}"), Contains("add a duration"));
  CHECK_THAT(traffic_refusal("{figures: [speed]}"), Contains("'speed' is not a figure"));
  CHECK_THAT(traffic_refusal("{rules: [{on: {qp: 3}, do: drop}]}"), Contains("no such queue pair"));
  CHECK_THAT(traffic_refusal("{rules: [{on: {qpn: 3}, do: drop}]}"), Contains("write qp: any"));
  CHECK_THAT(traffic_refusal("{rules: [{on: {qp: any}, do: explode}]}"), Contains("explode"));
  CHECK_THAT(traffic_refusal("{message: 4096}", "UC"), Contains("messages of one packet"));
}
