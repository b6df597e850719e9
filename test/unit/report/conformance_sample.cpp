// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_sample.hpp"

#include "conformance/virtual_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace softfeb::test {

using namespace conformance;

namespace {

Case& find(std::vector<CaseGroup>& groups, std::string_view id) {
  for (CaseGroup& group : groups) {
    for (Case& c : group.cases) {
      if (c.id == id) return c;
    }
  }
  throw std::logic_error("no such case");
}

void expect(Case& c, const char* text) {
  for (Part& part : c.parts) {
    for (Step& step : part.steps) step.expect = Expectation::parse(text);
  }
}

Profile sample_profile(const Catalogue& catalogue) {
  std::string base;
  return parse_profile(R"(name: sample
lacks: [atomics]
limits: {ACK-09.ack_p99: 1ms}
deviations:
  LEN-17: {observe: "NAK61 e+1 msn 0", why: "LAST is compared with the RETH's length", source: measured}
  UC-08: {observe: silence, written: [3, 4], tolerated: [1], why: "the case <expects> less & \"this\" is more"}
  PSN-01: {observe: silence, why: "does not occur"}
)",
                       "sample.yaml", catalogue, base);
}

/// Gives LOS-01 one packet for each kind of fault. The packets are copies of a packet of BAS-04.
void add_faults(SuiteResult& suite) {
  CaseResult& los = case_result(suite, "LOS-01");
  const CaseResult& from = case_result(suite, "BAS-04");
  los = CaseResult{.of = los.of};
  los.verdict = Verdict::kInconclusive;
  los.reason = "a fault rule was never hit";
  los.attempts = 2;
  los.seconds = 0.25;
  const auto add = [&](TracePacket::Judgement judgement, TracePacket::Fault fault, const char* comment) {
    TracePacket p = from.trace.front();
    p.part = 0;
    p.at = los.trace.size() * 3 * kMicrosecond;
    p.judgement = judgement;
    p.fault = fault;
    p.comment = comment;
    los.trace.push_back(p);
  };
  using Judgement = TracePacket::Judgement;
  using Fault = TracePacket::Fault;
  add(Judgement::kSent, Fault::kNone, "");
  add(Judgement::kNotSent, Fault::kNone, "rule 1: drop");
  add(Judgement::kSent, Fault::kDuplicate, "rule 2: duplicate");
  add(Judgement::kSent, Fault::kLate, "rule 3: delay 300us");
  add(Judgement::kSent, Fault::kChanged, "rule 4: corrupt");
  TracePacket foreign = case_result(suite, "BAS-01").trace.back();
  foreign.part = 0;
  foreign.at = 40 * kMicrosecond;
  foreign.judgement = Judgement::kForeign;
  foreign.comment = "for a queue pair of an earlier case";
  los.trace.push_back(foreign);
  los.foreign = 1;
  los.rules = {{.text = "{on: {qp: any, psn: +1}, do: drop}", .hits = 1},
               {.text = "{on: {qp: any, psn: +9}, do: {delay: 300us}}", .hits = 0}};
  los.completions = {{.qp = 0x12, .success = false, .status = "<b>\x01\xff & \"flushed\"</b>"}};
}

}  // namespace

Catalogue sample_catalogue() {
  const Catalogue whole;
  std::vector<CaseGroup> groups = whole.groups();
  expect(find(groups, "BAS-08"), "ACK e msn 1; ACK e+1 msn 2");
  expect(find(groups, "PSN-04"), "ACK e msn 1");
  expect(find(groups, "PSN-09"), "ACK e+40 msn 41; RNR e+41 code 3");
  expect(find(groups, "LEN-17"), "ACK e+1 msn 1");
  find(groups, "UC-08").parts.front().written = {
      .kind = WrittenSpec::Kind::kNone, .packets = {}, .tolerated = {1}};
  return Catalogue(std::move(groups));
}

SuiteResult sample_conformance(const Catalogue& catalogue) {
  const OwnTargetConfig addresses = virtual_addresses();
  OwnTarget target(addresses);
  VirtualTarget place = virtual_target(target, addresses);
  // In one case, the target returns wrong memory contents, so that the case fails. The case is recognized by
  // the number of queue pairs that it opens.
  std::string current;
  place.answer = [&](const TargetRequest& request) {
    TargetReply reply = target.answer(request);
    if (current == "MEM-02" && std::holds_alternative<ReadRequest>(request) && reply.bytes.size() > 8) {
      reply.bytes[1] = 0x77;
      reply.bytes[2] = 0x88;
    }
    return reply;
  };
  SuiteConfig config{.cases = select(catalogue, {.destructive = true}),
                     .profile = sample_profile(catalogue),
                     .target = "own:"};
  const auto next_of = [&](const CaseResult& r) {
    const auto it = std::find(config.cases.begin(), config.cases.end(), r.of);
    current = it + 1 == config.cases.end() ? "" : it[1]->id;
  };
  SuiteResult out = run_in_virtual_time(catalogue, config, std::move(place), next_of);
  add_faults(out);
  return out;
}

CaseResult& case_result(SuiteResult& suite, std::string_view id) {
  for (CaseResult& r : suite.cases) {
    if (r.of->id == id) return r;
  }
  throw std::out_of_range("no such case");
}

}  // namespace softfeb::test
