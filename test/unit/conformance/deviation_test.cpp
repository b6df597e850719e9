// SPDX-License-Identifier: BSD-3-Clause
// Tests the verdicts of cases that run with a profile. The tests choose the answers of the target.
#include "conformance/case_run.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

const Catalogue& catalogue() {
  static const Catalogue kCatalogue;
  return kCatalogue;
}

Profile profile_of(const std::string& deviations) {
  std::string base;
  return parse_profile("name: x\n" + deviations, "p.yaml", catalogue(), base);
}

/// An answer of a target. Its PSN is relative to e, the PSN that the queue pair expects at the start.
struct Reply {
  std::uint8_t opcode = 0x11;
  std::uint32_t psn = 0;
  std::uint8_t syndrome = roce::Aeth::kNoCredits;
  std::uint32_t msn = 0;
  bool absolute = false;  ///< if true, psn is not relative to e
};
struct Behaviour {
  std::vector<Reply> replies;
  TargetState state = TargetState::kRts;
  std::vector<Completion> completions;
  std::optional<std::uint64_t> writes;  ///< offset in the region of a byte that the target writes
};

/// Carries out a case and returns its result. In part k, the target behaves as parts[k] says. The last
/// element also applies to all further parts.
CaseResult judged(const char* id, const Profile& profile, const std::vector<Behaviour>& parts) {
  const Case& c = *catalogue().find(id);
  CaseEnvironment environment;
  environment.target = {.fresh_qps = true, .memory = true, .receives = true, .states = true};
  environment.regions.assign(4, {.address = 0x10000, .rkey = 0x1234, .size = Script::kRegionSize});
  environment.profile = &profile;
  environment.path.source_ip = *roce::IpAddress::parse("10.0.0.1");
  environment.path.dest_ip = *roce::IpAddress::parse("10.0.0.2");
  roce::Qpn next_qpn = 0x100;
  Time now = 0;
  CaseRun run(c, environment, 7, next_qpn, now);
  std::size_t part = 0;
  OpenRequest opened;
  bool answered = false;
  for (int turns = 0; !run.done() && turns < 10'000; ++turns) {
    Frames frames;
    run.run(now, frames);
    const Behaviour& b = parts[std::min(part, parts.size() - 1)];
    if (!frames.empty() && !answered) {
      answered = true;
      for (const Reply& r : b.replies) {
        Answer a{
            .at = now + kMicrosecond, .opcode = r.opcode, .dest_qp = opened.requester_qp, .icrc_right = true};
        a.psn = (r.absolute ? r.psn : opened.psn + r.psn) & roce::kPsnMask;
        if (r.opcode == 0x11) a.aeth = roce::Aeth{.syndrome = r.syndrome, .msn = r.msn};
        a.bth.becn = r.opcode == 0x81;
        if (run.owns(a.dest_qp)) run.on_answer(a, now + kMicrosecond);
      }
    }
    while (const auto request = run.take_request()) {
      TargetReply reply;
      if (const auto* const open = std::get_if<OpenRequest>(&*request)) {
        opened = *open;
        answered = false;
        reply.qp = 0x55;
      } else if (std::holds_alternative<CloseRequest>(*request)) {
        ++part;
      } else if (const auto* const read = std::get_if<ReadRequest>(&*request)) {
        reply.bytes.assign(read->length, kGuard);
        if (b.writes && *b.writes >= read->offset && *b.writes < read->offset + read->length)
          reply.bytes[*b.writes - read->offset] = 1;
      } else if (std::holds_alternative<StateRequest>(*request)) {
        reply.state = b.state;
      } else if (std::holds_alternative<CompletionsRequest>(*request)) {
        reply.completions = b.completions;
      }
      run.on_reply(reply, now);
    }
    if (run.done()) break;
    const Time next = run.next_event();
    now = std::max(now, next == kNever ? now + kMicrosecond : next);
  }
  REQUIRE(run.done());
  return run.take_result(now);
}

constexpr std::uint8_t kNak60 = 0x60, kNak61 = 0x61, kNak62 = 0x62;

}  // namespace

TEST_CASE("a failure is known only if the answers are those of the profile", "[deviation]") {
  const Behaviour ack{.replies = {{.psn = 1, .msn = 1}}};
  const Profile listed = profile_of("deviations:\n  LEN-17: {observe: ACK e+1 msn 1, why: early}\n");
  const Profile other = profile_of("deviations:\n  LEN-17: {observe: NAK62 e+1, why: early}\n");
  const Profile any = profile_of("deviations:\n  LEN-17: {why: early}\n");
  // The ACK acknowledges bytes that are not in memory, so the memory check fails as well. If `observe` lists
  // the ACK, this failure is also known.
  CHECK(judged("LEN-17", listed, {ack}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("LEN-17", listed, {ack}).deviation == "early");
  CHECK(judged("LEN-17", other, {ack}).verdict == Verdict::kFail);
  CHECK(judged("LEN-17", any, {ack}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("LEN-17", profile_of(""), {ack}).verdict == Verdict::kFail);
  const Behaviour twice{.replies = {{.psn = 1, .msn = 1}, {.psn = 1, .msn = 1}}};
  CHECK(judged("LEN-17", listed, {twice}).verdict == Verdict::kFail);
  CHECK(judged("LEN-17", listed, {{}}).verdict == Verdict::kFail);
}

TEST_CASE("guard bytes must be untouched even if the profile lists a deviation", "[deviation]") {
  const Profile listed = profile_of("deviations:\n  LEN-17: {observe: ACK e+1 msn 1, why: early}\n");
  const Behaviour guard{.replies = {{.psn = 1, .msn = 1}}, .writes = 3};
  const CaseResult r = judged("LEN-17", listed, {guard});
  CHECK(r.verdict == Verdict::kFail);
  REQUIRE_FALSE(r.memory.empty());
  CHECK(r.memory.front().guard);
}

TEST_CASE("each part of a case is compared separately", "[deviation]") {
  const Profile silence = profile_of("deviations:\n  OPS-12: {observe: silence, why: dropped}\n");
  const Behaviour nak{.replies = {{.syndrome = kNak61}}, .state = TargetState::kError};
  const Behaviour ack{.replies = {{.msn = 1}}};
  CHECK(judged("OPS-12", silence, {nak}).verdict == Verdict::kPass);
  CHECK(judged("OPS-12", silence, {{}}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("OPS-12", silence, {nak, {}, nak}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("OPS-12", silence, {{}, nak, ack, nak}).verdict == Verdict::kFail);
  const CaseResult r = judged("OPS-12", silence, {nak, {}, nak});
  REQUIRE(r.missing.size() == 1);
  CHECK(r.missing.front().part == 2);
  CHECK(r.trace.front().part == 1);
  CHECK(r.trace.back().part == 5);
}

TEST_CASE("a deviation may concern the memory alone", "[deviation]") {
  const Profile listed =
      profile_of("deviations:\n  UC-08: {observe: silence, written: none, tolerated: [1], why: cut}\n");
  const Profile wrong = profile_of("deviations:\n  UC-08: {observe: silence, written: [3], why: cut}\n");
  CHECK(judged("UC-08", listed, {{}}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("UC-08", wrong, {{}}).verdict == Verdict::kFail);
  CHECK(judged("UC-08", profile_of(""), {{}}).verdict == Verdict::kFail);
  // The target writes a byte, although the profile says that nothing is written.
  const Behaviour stray{.replies = {}, .writes = Script::kMargin + 3 * Script::kSlot + 2};
  CHECK(judged("UC-08", listed, {stray}).verdict == Verdict::kFail);
}

TEST_CASE("a deviation may concern completions or the state alone", "[deviation]") {
  const Profile completions = profile_of(
      "deviations:\n  LEN-18: {observe: NAK61 e+1 msn 0, completions: [{length: 3P}], why: early}\n");
  const Behaviour early{.replies = {{.psn = 1, .syndrome = kNak61}},
                        .state = TargetState::kError,
                        .completions = {{.success = true, .length = 3072}}};
  Behaviour shorter = early;
  shorter.completions[0].length = 2048;
  CHECK(judged("LEN-18", completions, {early}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("LEN-18", completions, {shorter}).verdict == Verdict::kFail);

  const Profile state =
      profile_of("deviations:\n  LEN-01: {observe: NAK61 e msn 0, state: rts, why: lives}\n");
  Behaviour alive{.replies = {{.syndrome = kNak61}}, .state = TargetState::kRts};
  CHECK(judged("LEN-01", state, {alive}).verdict == Verdict::kKnownDeviation);
  alive.state = TargetState::kRtr;
  CHECK(judged("LEN-01", state, {alive}).verdict == Verdict::kFail);
}

TEST_CASE("a PSN of a deviation may be absolute", "[deviation]") {
  const Profile listed = profile_of("deviations:\n  PSN-16: {observe: ACK 0xFFFFFF msn 0, why: fixed}\n");
  const Behaviour fixed{.replies = {{.psn = 0xffffff, .absolute = true}}};
  CHECK(judged("PSN-16", listed, {fixed}).verdict == Verdict::kKnownDeviation);
  CHECK(judged("PSN-16", profile_of(""), {fixed}).verdict == Verdict::kFail);
}

TEST_CASE("a profile may say that bounds are compared before lengths", "[deviation]") {
  const Behaviour nak61{.replies = {{.syndrome = kNak61}}, .state = TargetState::kError};
  const Behaviour nak62{.replies = {{.syndrome = kNak62}}, .state = TargetState::kError};
  const Profile bounds = profile_of("orders: {bounds_before_length: true}\n");
  CHECK(judged("LEN-10", profile_of(""), {nak61}).verdict == Verdict::kPass);
  CHECK(judged("LEN-10", profile_of(""), {nak62}).verdict == Verdict::kFail);
  CHECK(judged("LEN-10", bounds, {nak62}).verdict == Verdict::kPass);
  CHECK(judged("LEN-10", bounds, {nak61}).verdict == Verdict::kFail);
}

TEST_CASE("a profile may say that a CNP accompanies a NAK", "[deviation]") {
  const Reply ack{.msn = 1}, nak{.psn = 1, .syndrome = kNak60, .msn = 1};
  const Reply cnp{.opcode = 0x81, .psn = 0, .absolute = true};
  const Profile iba = profile_of(""), with = profile_of("cnps_with_naks: true\n");
  // The ACK is for a packet that this target does not write, so the memory check fails in any case. Therefore
  // only unexpected answers and findings are counted.
  const auto unexpected = [&](const Profile& p, const std::vector<Reply>& replies) {
    const CaseResult r = judged("CNP-18", p, {{.replies = replies}});
    return std::count_if(
               r.trace.begin(), r.trace.end(),
               [](const TracePacket& t) { return t.judgement == TracePacket::Judgement::kUnexpected; }) +
           static_cast<std::ptrdiff_t>(r.findings.size());
  };
  CHECK(unexpected(iba, {ack, nak}) == 0);
  CHECK(unexpected(iba, {ack, nak, cnp}) != 0);
  CHECK(unexpected(with, {ack, nak, cnp}) == 0);
  CHECK(unexpected(with, {ack, cnp, nak}) == 0);
  CHECK(unexpected(with, {ack, nak, cnp, cnp, cnp}) != 0);
}

TEST_CASE("a draft lists what was observed, and is refused until it is filled in", "[deviation]") {
  SuiteResult suite;
  suite.profile = "iba";
  suite.device = {.name = "nic", .driver = "drv", .firmware = "1.2"};
  const Profile iba = profile_of("");
  suite.cases.push_back(judged("LEN-17", iba, {{.replies = {{.psn = 1, .msn = 1}}}}));
  suite.cases.push_back(judged("OPS-12", iba, {{}}));
  suite.cases.push_back(
      judged("OPS-12", iba, {{.replies = {{.msn = 1}}}, {.replies = {{.psn = 1, .syndrome = kNak62}}}}));
  suite.cases.back().of = catalogue().find("OPS-13");
  std::string draft = draft_profile(suite, suite.profile);
  CHECK_THAT(draft, Catch::Contains("observe: ACK e+1 msn 1") && Catch::Contains("base: iba") &&
                        Catch::Contains("nic, driver drv, firmware 1.2"));
  std::string base;
  CHECK_THROWS_WITH(parse_profile(draft, "d.yaml", catalogue(), base),
                    Catch::Contains("has not been filled in"));
  for (std::size_t at = 0; (at = draft.find("TODO: ", at)) != std::string::npos;) draft.replace(at, 6, "is ");
  const Profile filled = parse_profile(draft, "d.yaml", catalogue(), base);
  CHECK(base == "iba");
  CHECK(judged("LEN-17", filled, {{.replies = {{.psn = 1, .msn = 1}}}}).verdict == Verdict::kKnownDeviation);
  CHECK(filled.deviations.at("OPS-12").observe->items.empty());
  // The two parts deviate in different ways, so no single list of answers describes both.
  CHECK_FALSE(filled.deviations.at("OPS-13").observe);
}
