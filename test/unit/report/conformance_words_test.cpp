// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_words.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using conformance::CaseResult;
using conformance::TracePacket;
using conformance::Verdict;

namespace {

using Judgement = TracePacket::Judgement;

TracePacket answer(std::uint8_t syndrome, std::uint32_t psn, Judgement judgement = Judgement::kUnexpected) {
  return {.judgement = judgement,
          .opcode = 0x11,
          .psn = psn & 0xff'ffff,
          .first_psn = 0xff'fffe,
          .aeth = roce::Aeth{.syndrome = syndrome, .msn = 7}};
}

conformance::SuiteResult suite_of(std::initializer_list<Verdict> verdicts) {
  conformance::SuiteResult out;
  for (const Verdict v : verdicts) out.cases.push_back({.verdict = v});
  return out;
}

}  // namespace

TEST_CASE("each verdict has its own sign", "[conformance_words]") {
  std::set<std::string_view> signs;
  for (int v = 0; v <= static_cast<int>(Verdict::kNotRun); ++v)
    signs.insert(sign_of(static_cast<Verdict>(v)));
  CHECK(signs.size() == 7);
  CHECK(sign_of(Verdict::kPass) == "✓");
  CHECK(sign_of(Verdict::kFail) == "✗");
}

TEST_CASE("packets in words", "[conformance_words]") {
  const TracePacket write{.opcode = 0x0a, .psn = 0, .first_psn = 0xff'ffff, .length = 64, .ack_req = true};
  CHECK(packet_words(write) == "WRITE ONLY e+1, 64 B, AckReq");
  CHECK(packet_words(TracePacket{.opcode = 0x06}) == "WRITE FIRST e, 0 B");
  CHECK(packet_words(answer(0x1f, 0)) == "ACK e+2, MSN 7");
  CHECK(packet_words(answer(0x60, 0xff'ffff)) == "NAK 0x60 e+1, MSN 7");
  CHECK(packet_words(answer(0x2c, 0xff'fffe)) == "RNR NAK e, MSN 7, timer 12");
  CHECK(packet_words({.judgement = Judgement::kExpected, .opcode = 0x81, .psn = 9}) == "CNP");
  TracePacket response = answer(0x1f, 0);
  response.opcode = 0x10;
  response.length = 8;
  CHECK(packet_words(response) == "READ response ONLY e+2, MSN 7, 8 B");
}

TEST_CASE("comments say step and judgement", "[conformance_words]") {
  TracePacket p{.judgement = Judgement::kSent, .step = 2, .opcode = 0x0a, .comment = "O(e,64)!"};
  CHECK(packet_comment(p) == "step 2: O(e,64)!");
  p.judgement = Judgement::kNotSent;
  CHECK(packet_comment(p) == "step 2: not sent: O(e,64)!");
  p.judgement = Judgement::kExpected;
  CHECK(packet_comment(p) == "step 2: expected: O(e,64)!");
  p.judgement = Judgement::kTolerated;
  CHECK(packet_comment(p) == "step 2: tolerated: O(e,64)!");
  p.judgement = Judgement::kUnexpected;
  p.comment = "unexpected NAK";
  CHECK(packet_comment(p) == "step 2: unexpected NAK");
  p.comment.clear();
  p.step = 0;
  p.judgement = Judgement::kSent;
  CHECK(packet_comment(p) == "WRITE ONLY e, 0 B");
  p.judgement = Judgement::kExpected;
  CHECK(packet_comment(p) == "expected");
}

TEST_CASE("what a target did wrong, in one line", "[conformance_words]") {
  CaseResult r{.reason = "anything"};
  CHECK(observed_words(r).empty());
  r.trace = {answer(0x1f, 0xff'fffe, Judgement::kExpected), answer(0x60, 0xff'ffff),
             answer(0x1f, 0, Judgement::kTolerated), answer(0x1f, 0, Judgement::kForeign)};
  CHECK(observed_words(r) == "NAK 0x60 e+1, MSN 7");
  r.missing = {{.what = "ACK e+2"}, {.what = "CNP"}};
  CHECK(observed_words(r) == "NAK 0x60 e+1, MSN 7; no ACK e+2; no CNP");
  r.trace.assign(6, answer(0x60, 0xff'fffe));
  r.missing.clear();
  CHECK(observed_words(r) ==
        "NAK 0x60 e, MSN 7; NAK 0x60 e, MSN 7; NAK 0x60 e, MSN 7; NAK 0x60 e, MSN 7; and 2 more");
  r.trace.clear();
  r.memory = {{.region = 1, .offset = 64, .expected = {0xee, 0xee}, .found = {0x07, 0xee}}};
  CHECK(observed_words(r) == "region 1, offset 0x40: 07 ee instead of ee ee");
  r.memory.push_back({});
  r.memory[0].found.assign(9, 1);
  CHECK(observed_words(r) ==
        "region 1, offset 0x40: 01 01 01 01 01 01 01 01 … instead of ee ee, and 1 more ranges");
}

TEST_CASE("times, states and figures in words", "[conformance_words]") {
  CHECK(time_words(0) == "0 ns");
  CHECK(time_words(500) == "0.5 ns");
  CHECK(time_words(999 * kNanosecond) == "999 ns");
  CHECK(time_words(kMicrosecond) == "1 µs");
  CHECK(time_words(2'500 * kNanosecond) == "2.5 µs");
  CHECK(time_words(15 * kMillisecond) == "15 ms");
  CHECK(time_words(90 * kSecond) == "90 s");
  CHECK(state_words(conformance::TargetState::kInit) == "INIT");
  CHECK(state_words(conformance::TargetState::kRtr) == "RTR");
  CHECK(state_words(conformance::TargetState::kRts) == "RTS");
  CHECK(state_words(conformance::TargetState::kError) == "ERR");
  CHECK(figure_words({.name = "p99", .value = 0.0123, .unit = "s"}) == "0.0123 s");
  CHECK(figure_words({.name = "dscp", .value = 48}) == "48");
}

TEST_CASE("the verdict of a run is its worst", "[conformance_words]") {
  CHECK(overall_verdict(suite_of({}), false) == "pass");
  CHECK(overall_verdict(
            suite_of({Verdict::kPass, Verdict::kKnownDeviation, Verdict::kNotApplicable, Verdict::kMeasured}),
            true) == "pass");
  CHECK(overall_verdict(suite_of({Verdict::kPass, Verdict::kInconclusive}), false) == "inconclusive");
  CHECK(overall_verdict(suite_of({Verdict::kInconclusive, Verdict::kFail}), false) == "fail");
  CHECK(overall_verdict(suite_of({Verdict::kPass, Verdict::kNotRun}), false) == "fail");
  auto rotten = suite_of({Verdict::kPass});
  rotten.not_seen = {"PSN-01"};
  CHECK(overall_verdict(rotten, false) == "pass");
  CHECK(overall_verdict(rotten, true) == "fail");
  auto silent = suite_of({Verdict::kNotRun});
  silent.no_baseline = "no WRITE was acknowledged";
  CHECK(overall_verdict(silent, false) == "no baseline");
}
