// SPDX-License-Identifier: BSD-3-Clause
// Tests the course of a run. The target acknowledges every packet unless a test interferes.
#include "conformance/suite.hpp"

#include "roce/frame.hpp"
#include "roce/packet.hpp"

#include <deque>
#include <map>
#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;

namespace {

const roce::IpAddress kBoardIp = *roce::IpAddress::parse("10.0.0.1");
const roce::IpAddress kTargetIp = *roce::IpAddress::parse("10.0.0.2");
constexpr Time kDelay = 10 * kMicrosecond;  ///< time from a packet to its acknowledgement

/// A case that sends one WRITE and expects its acknowledgement.
constexpr const char* kCase =
    R"yaml(  - {id: X-01, title: t, section: "9", service: RC, opcodes: 0A, severity: high, level: shall, stimulus: s, expected: e,
     run: {steps: [{send: "O(e,8)!", expect: "ACK e msn 1"}]}}
)yaml";

std::string with_id(std::string text, const std::string& id) {
  return text.replace(text.find("X-01"), 4, id);
}

/// Returns a catalogue with three cases in two groups, and without a baseline.
Catalogue small_run() {
  return Catalogue(
      {parse_group("group: X\ntitle: x\ncases:\n" + with_id(kCase, "X-01") + with_id(kCase, "X-02"), "X"),
       parse_group("group: Y\ntitle: y\ncases:\n" + with_id(kCase, "Y-01"), "Y")});
}

/// Returns a catalogue with two groups of one case each, after the group of the baseline.
Catalogue run_with_baseline() {
  return Catalogue({parse_group("group: BAS\ntitle: b\ncases:\n" + with_id(kCase, "BAS-01"), "B"),
                    parse_group("group: X\ntitle: x\ncases:\n" + with_id(kCase, "X-01"), "X"),
                    parse_group("group: Y\ntitle: y\ncases:\n" + with_id(kCase, "Y-01"), "Y")});
}

struct FakeQp {
  OpenRequest opened;
  std::uint32_t msn = 0;
};

/// Acknowledges those packets on open queue pairs that request an acknowledgement. Also drives the suite.
class FakeTarget {
 public:
  Time now = 0;
  std::size_t opened = 0;  ///< number of queue pairs opened so far; the first one is the canary (canary.hpp)
  bool mute = false;       ///< answers no packet
  bool deaf_canary = false;  ///< answers no packet of the first queue pair
  bool eager = false;        ///< also acknowledges packets that do not request it
  bool withholds = false;    ///< does not answer requests
  std::function<TargetReply(const TargetRequest&)> answers;  ///< replaces the usual replies to requests
  std::function<void(Suite&, Time)> meddle;                  ///< called in each iteration
  std::function<void(std::vector<Answer>&)> spoil;           ///< changes the answers to a packet
  /// Ids of the cases, in the order in which they are reported.
  std::vector<std::string> reported;

  SuiteResult run(const Catalogue& catalogue, SuiteConfig config = {}, Capabilities capabilities = {}) {
    if (config.cases.empty()) config.cases = select(catalogue, {.destructive = true});
    Suite suite(catalogue, config, environment(capabilities), {}, now);
    suite.on_case([&](const CaseResult& r) { reported.push_back(r.of->id); });
    drive(suite);
    return suite.result();
  }

  static CaseEnvironment environment(const Capabilities& capabilities = {}) {
    CaseEnvironment out;
    out.target = capabilities;
    out.path.source_ip = kBoardIp;
    out.path.dest_ip = kTargetIp;
    out.regions.assign(4, {.address = 0x1000, .rkey = 0x11, .size = Script::kRegionSize});
    return out;
  }

  void drive(Suite& suite) {
    for (int idle = 0; !suite.done(); ++idle) {
      REQUIRE(idle < 100'000);
      while (!in_flight_.empty() && in_flight_.front().at <= now) {
        suite.on_answer(in_flight_.front(), now);
        in_flight_.pop_front();
      }
      Frames frames;
      suite.run(now, frames);
      for (const auto& frame : frames) receive(frame);
      bool asked = false;
      while (!withholds) {
        const auto request = suite.take_request();
        if (!request) break;
        suite.on_reply(answers ? answers(*request) : reply(*request), now);
        asked = true;
      }
      if (meddle) meddle(suite, now);
      if (asked || suite.done()) continue;
      const Time arrival = in_flight_.empty() ? kNever : in_flight_.front().at;
      const Time next = std::min(suite.next_event(), arrival);
      REQUIRE(next != kNever);
      now = std::max(now, withholds ? now + kMillisecond : next);
    }
  }

  TargetReply reply(const TargetRequest& request) {
    TargetReply out;
    if (const auto* const open = std::get_if<OpenRequest>(&request)) {
      out.qp = static_cast<roce::Qpn>(0x500 + opened++);
      qps_[out.qp] = {.opened = *open};
    } else if (const auto* const close = std::get_if<CloseRequest>(&request)) {
      qps_.erase(close->qp);
    }
    return out;
  }

  /// Returns an acknowledgement for the queue pair `qpn` of the board.
  Answer acknowledgement(roce::Qpn qpn, roce::Psn psn, std::uint32_t msn) const {
    Answer out{.at = now + kDelay, .opcode = 0x11, .psn = psn, .dest_qp = qpn, .source_ip = kTargetIp};
    out.aeth = roce::Aeth{.msn = msn};
    out.icrc_right = true;
    return out;
  }

 private:
  void receive(const std::vector<std::uint8_t>& frame) {
    const auto packet = roce::parse_transport(roce::transport_bytes(roce::parse_frame(ByteSpan(frame))));
    const roce::Bth& bth = packet.request.bth;
    const auto it = qps_.find(bth.dest_qp);
    if (it == qps_.end() || mute || (deaf_canary && bth.dest_qp == 0x500)) return;
    ++it->second.msn;
    if (!bth.ack_req && !eager) return;
    std::vector<Answer> out{acknowledgement(it->second.opened.requester_qp, bth.psn, it->second.msn)};
    if (spoil) spoil(out);
    in_flight_.insert(in_flight_.end(), out.begin(), out.end());
  }

  std::map<roce::Qpn, FakeQp> qps_;
  std::deque<Answer> in_flight_;
};

const CaseResult& result_of(const SuiteResult& result, const char* id) {
  const auto it = std::find_if(result.cases.begin(), result.cases.end(),
                               [&](const CaseResult& r) { return r.of->id == id; });
  REQUIRE(it != result.cases.end());
  return *it;
}

std::string verdicts(const SuiteResult& result) {
  std::string out;
  for (const CaseResult& r : result.cases)
    out += (out.empty() ? "" : ", ") + r.of->id + " " + std::string(name_of(r.verdict));
  return out;
}

}  // namespace

TEST_CASE("a run passes, and reports its cases in order", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass, X-02 pass, Y-01 pass");
  CHECK(target.reported == std::vector<std::string>{"X-01", "X-02", "Y-01"});
  for (const CaseResult& r : result.cases) CHECK(r.attempts == 1);
  CHECK_FALSE(result.dead);
  CHECK_FALSE(result.no_baseline);
  CHECK(result.seconds == Approx(to_seconds(target.now)));
  // Each case opens a queue pair, and so does the canary.
  CHECK(target.opened == 4);
}

TEST_CASE("the round trip sets the windows", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget near;
  SuiteResult result = near.run(catalogue);
  CHECK(result.timing.round_trip_p50 == kDelay);
  CHECK(result.timing.round_trip_p99 == kDelay);
  CHECK(result.timing.t_ack == kMillisecond);  // the lower limit of t_ack
  CHECK(result.timing.silence == 5 * kMillisecond);

  FakeTarget far;
  far.spoil = [](std::vector<Answer>& answers) {
    for (Answer& a : answers) a.at += kMillisecond - kDelay;
  };
  result = far.run(catalogue);
  CHECK(result.timing.round_trip_p99 == kMillisecond);
  CHECK(result.timing.t_ack == 20 * kMillisecond);
  CHECK(result.timing.silence == 60 * kMillisecond);

  FakeTarget profiled;
  SuiteConfig config;
  config.profile.t_ack = 3 * kMillisecond;
  config.profile.silence = 7 * kMillisecond;
  result = profiled.run(catalogue, config);
  CHECK(result.timing.t_ack == 3 * kMillisecond);
  CHECK(result.timing.silence == 7 * kMillisecond);
  CHECK(verdicts(result) == "X-01 pass, X-02 pass, Y-01 pass");
}

TEST_CASE("without an acknowledgement nothing is judged", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  target.mute = true;
  const SuiteResult result = target.run(catalogue);
  REQUIRE(result.no_baseline);
  CHECK_THAT(*result.no_baseline,
             Contains("no WRITE was acknowledged. Sent: WRITE ONLY, 8 bytes, to 10.0.0.2") &&
                 Contains("received: nothing") && Contains("MTU") &&
                 Contains("cannot resolve the board's address 10.0.0.1") && Contains("GID"));
  CHECK(verdicts(result) == "X-01 not run, X-02 not run, Y-01 not run");
  CHECK(target.reported.empty());
}

TEST_CASE("the result says what the canary received instead of an acknowledgement", "[suite]") {
  FakeTarget target;
  target.spoil = [](std::vector<Answer>& answers) {
    for (Answer& a : answers) a.aeth->syndrome = 0x62;
  };
  const SuiteResult result = target.run(small_run());
  CHECK_THAT(result.no_baseline.value_or(""), Contains("received: NAK 0x62 PSN e"));
  FakeTarget wrong;
  wrong.spoil = [](std::vector<Answer>& answers) {
    for (Answer& a : answers) a.icrc_right = false;
  };
  CHECK_THAT(wrong.run(small_run()).no_baseline.value_or(""), Contains("no WRITE was acknowledged"));
}

TEST_CASE("a target that refuses the first queue pair has no baseline", "[suite]") {
  FakeTarget target;
  target.answers = [](const TargetRequest&) {
    TargetReply out;
    out.error = "no memory";
    return out;
  };
  const SuiteResult result = target.run(small_run());
  CHECK_THAT(result.no_baseline.value_or(""), Contains("the target refused a queue pair: no memory"));
}

TEST_CASE("the baseline must pass first", "[suite]") {
  const Catalogue catalogue = run_with_baseline();
  FakeTarget target;
  std::size_t answers = 0;
  target.spoil = [&](std::vector<Answer>& out) {
    if (++answers > 64) out.front().aeth->msn += 1;  // the first 64 answers belong to the calibration
  };
  const SuiteResult result = target.run(catalogue);
  CHECK_THAT(result.no_baseline.value_or(""), Contains("BAS-01 failed: unexpected ACK PSN e, MSN 2"));
  CHECK(verdicts(result) == "BAS-01 not run, X-01 not run, Y-01 not run");
}

TEST_CASE("a baseline that was disturbed is repeated", "[suite]") {
  const Catalogue catalogue = run_with_baseline();
  const auto run = [&](std::size_t disturbed, unsigned attempts) {
    FakeTarget target;
    // The first queue pair is the canary (canary.hpp). The first attempt opens the second one.
    const auto hit = [&target, disturbed] { return target.opened >= 2 && target.opened < 2 + disturbed; };
    target.spoil = [&](std::vector<Answer>& answers) {
      if (hit()) answers.clear();
    };
    target.meddle = [&](Suite& suite, Time) {
      if (hit()) suite.preempted(6 * kMillisecond);
    };
    SuiteConfig config;
    config.attempts = attempts;
    return target.run(catalogue, config);
  };
  CHECK_FALSE(run(1, 2).no_baseline);
  CHECK_FALSE(run(2, 3).no_baseline);
  CHECK_THAT(run(2, 2).no_baseline.value_or(""),
             Contains("BAS-01 failed: ") && Contains("did not get the CPU"));
}

TEST_CASE("the baseline is repeated between groups", "[suite]") {
  const Catalogue catalogue = run_with_baseline();
  FakeTarget target;
  CHECK(verdicts(target.run(catalogue)) == "BAS-01 pass, X-01 pass, Y-01 pass");
  // The canary, three runs of the baseline and three cases open one queue pair each.
  CHECK(target.opened == 7);

  // If the baseline fails between groups, the target is dead, and the earlier cases keep their verdicts.
  FakeTarget broken;
  broken.spoil = [&](std::vector<Answer>& out) {
    const bool canary = out.front().dest_qp == 0x101;
    if (broken.opened > 5 && !canary) out.clear();
  };
  const SuiteResult result = broken.run(catalogue);
  CHECK_FALSE(result.no_baseline);
  CHECK(result.dead == "X-01");
  CHECK(verdicts(result) == "BAS-01 pass, X-01 pass, Y-01 not run");
  CHECK_THAT(result_of(result, "Y-01").reason, Contains("no longer passed the baseline: BAS-01 failed"));
}

TEST_CASE("a lost canary makes a case inconclusive, and the case is repeated", "[suite]") {
  const Catalogue catalogue = small_run();
  for (const unsigned attempts : {1U, 2U}) {
    FakeTarget target;
    target.meddle = [&](Suite&, Time) {
      target.deaf_canary = target.opened > 1;
    };  // a new canary uses a new queue pair, which is answered
    SuiteConfig config;
    config.attempts = attempts;
    const SuiteResult result = target.run(catalogue, config);
    CHECK_FALSE(result.dead);
    const CaseResult& first = result_of(result, "X-01");
    CHECK(first.attempts == attempts);
    CHECK(first.verdict == (attempts == 1 ? Verdict::kInconclusive : Verdict::kPass));
    if (attempts == 1) CHECK(first.reason == "the canary was not acknowledged");
    CHECK(result_of(result, "Y-01").verdict == Verdict::kPass);
  }
}

TEST_CASE("a target that dies gets one verdict, and the remaining cases do not run", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  target.meddle = [&](Suite&, Time) { target.mute = target.reported.size() == 1 && target.opened >= 3; };
  SuiteConfig config;
  const SuiteResult result = target.run(catalogue, config);
  CHECK(result.dead == "X-02");
  CHECK(verdicts(result) == "X-01 pass, X-02 fail, Y-01 not run");
  CHECK(result_of(result, "X-02").reason == "the target answers nothing any more");
  CHECK(result_of(result, "Y-01").reason == "the target no longer answered");
  CHECK(target.reported == std::vector<std::string>{"X-01", "X-02"});
}

TEST_CASE("a target that carries out no more requests is dead", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  target.answers = [&](const TargetRequest& request) {
    TargetReply out = target.reply(request);
    if (target.opened == 3) {
      out.error = "the connection was closed";
      out.gone = true;
    }
    return out;
  };
  const SuiteResult result = target.run(catalogue);
  CHECK(result.dead == "X-02");
  CHECK(verdicts(result) == "X-01 pass, X-02 fail, Y-01 not run");
}

TEST_CASE("a refused request makes a case inconclusive or not applicable", "[suite]") {
  const Catalogue catalogue = small_run();
  for (const bool unsupported : {false, true}) {
    FakeTarget target;
    target.answers = [&](const TargetRequest& request) {
      TargetReply out = target.reply(request);
      if (std::holds_alternative<OpenRequest>(request) && target.reported.size() == 1) {
        out.error = "there is no such thing";
        out.unsupported = unsupported;
      }
      return out;
    };
    const SuiteResult result = target.run(catalogue);
    const CaseResult& refused = result_of(result, "X-02");
    CHECK(refused.verdict == (unsupported ? Verdict::kNotApplicable : Verdict::kInconclusive));
    CHECK(refused.attempts == (unsupported ? 1U : 2U));
    CHECK(refused.reason == "there is no such thing");
    CHECK(result_of(result, "Y-01").verdict == Verdict::kPass);
  }
}

TEST_CASE("lost packets of the port and a thread that was not run disturb an attempt", "[suite]") {
  const Catalogue catalogue = small_run();
  for (const bool port : {false, true}) {
    FakeTarget target;
    int disturbed = 0;
    target.meddle = [&](Suite& suite, Time) {
      if (target.opened != 3 || disturbed++ != 0) return;
      if (port) {
        suite.port_dropped(7);
      } else {
        suite.preempted(6 * kMillisecond);
      }
    };
    SuiteConfig config;
    config.attempts = 1;
    const SuiteResult result = target.run(catalogue, config);
    CHECK(verdicts(result) == "X-01 pass, X-02 inconclusive, Y-01 pass");
    CHECK(result_of(result, "X-02").reason ==
          (port ? "softfeb's own port dropped packets"
                : "softfeb did not get the CPU for longer than the silence window"));
  }
  // An attempt is not disturbed if the port drops no further packets, or if the thread is preempted for less
  // than the silence window.
  FakeTarget calm;
  calm.meddle = [](Suite& suite, Time) {
    suite.port_dropped(0);
    suite.preempted(4 * kMillisecond);
  };
  CHECK(verdicts(calm.run(catalogue)) == "X-01 pass, X-02 pass, Y-01 pass");
}

TEST_CASE("the time limit ends a run in order", "[suite]") {
  std::string waits = with_id(kCase, "X-02");
  waits.replace(waits.find("{steps: ["), 9, "{steps: [{wait: 3600s}, ");
  const Catalogue catalogue({parse_group(
      "group: X\ntitle: x\ncases:\n" + with_id(kCase, "X-01") + waits + with_id(kCase, "X-03"), "X")});
  FakeTarget target;
  SuiteConfig config;
  config.time_limit = kSecond;
  const SuiteResult result = target.run(catalogue, config);
  CHECK(verdicts(result) == "X-01 pass, X-02 not run, X-03 not run");
  CHECK(result_of(result, "X-02").reason == "the run ended before");
  CHECK(target.now == kSecond);  // the run ended during the wait
  CHECK_FALSE(result.dead);
}

TEST_CASE("a run is stopped", "[suite]") {
  FakeTarget target;
  target.meddle = [&](Suite& suite, Time now) {
    if (target.reported.size() == 1) suite.stop(now);
  };
  const Catalogue catalogue = small_run();
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass, X-02 not run, Y-01 not run");
}

TEST_CASE("a reply after the end of the run changes nothing", "[suite]") {
  const Catalogue catalogue = small_run();
  Suite suite(catalogue, {.cases = select(catalogue, {})}, FakeTarget::environment(), {}, 0);
  REQUIRE(suite.take_request());
  CHECK_FALSE(suite.take_request());
  suite.stop(5);
  CHECK(suite.done());
  TargetReply reply;
  reply.qp = 0x500;
  suite.on_reply(reply, 6);
  Frames frames;
  suite.run(7, frames);
  CHECK(suite.done());
  CHECK(frames.empty());
  CHECK(suite.next_event() == kNever);
  CHECK_FALSE(suite.take_request());
  suite.stop(kSecond);
  CHECK(suite.result().seconds == to_seconds(5));
}

TEST_CASE("a reply that comes after its case was given up is not taken for another one", "[suite]") {
  const Catalogue catalogue = small_run();
  for (const bool gone : {false, true}) {
    FakeTarget target;
    // The request to open the queue pair of X-02 is answered only after the case has reached its time limit.
    std::optional<TargetRequest> held;
    bool answered = false;
    target.meddle = [&](Suite& suite, Time now) {
      target.withholds = target.reported.size() == 1 ? !answered : held.has_value();
      if (!target.withholds) return;
      if (!held) held = suite.take_request();
      if (!held || now < 3 * kSecond) return;
      CHECK_FALSE(suite.take_request());  // only one request is outstanding at a time
      TargetReply reply = target.reply(*held);
      if (gone) {
        reply.error = "the connection was closed";
        reply.gone = true;
      }
      held.reset();
      answered = true;
      suite.on_reply(reply, now);
    };
    SuiteConfig config;
    const SuiteResult result = target.run(catalogue, config);
    CHECK(result_of(result, "X-02").verdict == Verdict::kFail);
    if (gone) {
      CHECK(result.dead);
      CHECK(result_of(result, "Y-01").verdict == Verdict::kNotRun);
    } else {
      CHECK_THAT(result_of(result, "X-02").reason, Contains("time limit"));
      CHECK(result_of(result, "Y-01").verdict == Verdict::kPass);
    }
  }
}

TEST_CASE("foreign packets are counted and not judged", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  target.spoil = [&](std::vector<Answer>& answers) {
    Answer late = answers.front();  // an answer to a queue pair that does not exist
    late.dest_qp += 0x1000;
    Answer other = answers.front();  // an answer from another host
    other.source_ip = *roce::IpAddress::parse("10.0.0.9");
    other.aeth->syndrome = 0x62;
    answers.insert(answers.begin(), {late, other, late});
  };
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass, X-02 pass, Y-01 pass");
  for (const CaseResult& r : result.cases) {
    CHECK(r.foreign == 3);
    CHECK(std::count_if(r.trace.begin(), r.trace.end(), [](const TracePacket& p) {
            return p.judgement == TracePacket::Judgement::kForeign;
          }) == 3);
  }
}

TEST_CASE("a flood of wrong answers is judged with bounded memory", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  target.spoil = [&](std::vector<Answer>& answers) {
    if (target.opened != 3 || answers.front().dest_qp == 0x101) return;
    answers.front().bth.tver = 1;
    answers.resize(20'000, answers.front());
  };
  const SuiteResult result = target.run(catalogue);
  const CaseResult& flooded = result_of(result, "X-02");
  CHECK(flooded.verdict == Verdict::kFail);
  CHECK(flooded.trace.size() <= kMostTraced);
  CHECK(flooded.findings.size() <= kMostTraced);
  // A full trace contains no further packets, so no two findings refer to the same packet.
  std::set<std::size_t> packets;
  for (const CheckerFinding& finding : flooded.findings) {
    if (finding.checker == "form" && finding.packet) CHECK(packets.insert(*finding.packet).second);
  }
  CHECK(result_of(result, "Y-01").verdict == Verdict::kPass);
}

TEST_CASE("acknowledgements that were not requested are tolerated", "[suite]") {
  std::string two = with_id(kCase, "X-01");
  two.replace(two.find("\"O(e,8)!\""), 9, "\"O(e,8) O(e+1,8)!\"");
  two.replace(two.find("ACK e msn 1"), 11, "ACK e+1 msn 2");
  const Catalogue catalogue({parse_group("group: X\ntitle: x\ncases:\n" + two, "X")});
  FakeTarget target;
  target.eager = true;
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass");
  const auto& trace = result.cases.front().trace;
  CHECK(std::count_if(trace.begin(), trace.end(), [](const TracePacket& p) {
          return p.judgement == TracePacket::Judgement::kTolerated;
        }) == 1);
  // If the same acknowledgement has a wrong MSN, the case fails.
  FakeTarget wrong;
  wrong.eager = true;
  wrong.spoil = [&](std::vector<Answer>& answers) {
    if (wrong.opened == 2 && answers.front().dest_qp != 0x101) ++answers.front().aeth->msn;
  };
  CHECK(verdicts(wrong.run(catalogue)) == "X-01 fail");
}

TEST_CASE("a target may have fixed queue pairs with their own PSNs and memory", "[suite]") {
  const Catalogue catalogue = small_run();
  FakeTarget target;
  target.answers = [&](const TargetRequest& request) {
    TargetRequest changed = request;
    auto* const open = std::get_if<OpenRequest>(&changed);
    if (open == nullptr) return target.reply(request);
    open->requester_qp = static_cast<roce::Qpn>(0x900 + target.opened);
    open->psn = static_cast<roce::Psn>(0xffffff - target.opened);
    TargetReply out = target.reply(changed);
    out.fixed = TargetReply::Fixed{.requester_qp = open->requester_qp,
                                   .psn = open->psn,
                                   .region = {.address = 0x7000, .rkey = 0x77, .size = Script::kRegionSize}};
    return out;
  };
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass, X-02 pass, Y-01 pass");
  const TracePacket& sent = result_of(result, "X-02").trace.front();
  CHECK(sent.psn == 0xffffff - 2);
  CHECK(sent.first_psn == sent.psn);
  const auto packet = roce::parse_transport(roce::transport_bytes(roce::parse_frame(ByteSpan(sent.frame))));
  CHECK(packet.request.reth.rkey == 0x77);
  CHECK(packet.request.reth.virtual_address == 0x7000 + Script::kMargin);
}

TEST_CASE("cases that cannot run here are reported with the reason", "[suite]") {
  std::string needs = with_id(kCase, "X-02");
  needs.replace(needs.find("level: shall"), 12, "level: shall, needs: v6");
  const Catalogue catalogue({parse_group(
      "group: X\ntitle: x\ncases:\n" + with_id(kCase, "X-01") + needs + with_id(kCase, "X-03"), "X")});
  FakeTarget target;
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass, X-02 not applicable, X-03 pass");
  CHECK(result_of(result, "X-02").reason == "the target has no IPv6 address");
  CHECK(target.reported == std::vector<std::string>{"X-01", "X-02", "X-03"});
}

TEST_CASE("what harms a target runs last", "[suite]") {
  std::string harmful = with_id(kCase, "X-01");
  harmful.replace(harmful.find("level: shall"), 12, "level: shall, needs: destructive");
  const Catalogue catalogue({parse_group(
      "group: X\ntitle: x\ncases:\n" + harmful + with_id(kCase, "X-02") + with_id(kCase, "X-03"), "X")});
  SuiteConfig config;
  config.destructive = true;
  config.cases = {catalogue.find("X-01"), catalogue.find("X-02"), catalogue.find("X-03")};
  config.profile.deviations["X-02"] = {.why = "it panics", .destructive = true};
  FakeTarget target;
  target.run(catalogue, config);
  CHECK(target.reported == std::vector<std::string>{"X-03", "X-01", "X-02"});
}

TEST_CASE("a case that softfeb cannot carry out is not applicable", "[suite]") {
  const Catalogue catalogue({parse_group("group: X\ntitle: x\ncases:\n" + with_id(kCase, "X-01") +
                                             "  - {id: X-02, title: t, section: \"9\", service: RC, opcodes: "
                                             "0A, severity: high, level: measure, stimulus: s,\n"
                                             "     expected: e, not_available: there is no way}\n",
                                         "X")});
  FakeTarget target;
  const SuiteResult result = target.run(catalogue);
  CHECK(verdicts(result) == "X-01 pass, X-02 not applicable");
  CHECK(result_of(result, "X-02").reason == "there is no way");
}

TEST_CASE("totals count the verdicts", "[suite]") {
  SuiteResult result;
  for (unsigned k = 0; k < 7; ++k) {
    for (unsigned n = 0; n <= k; ++n)
      result.cases.push_back({.of = nullptr, .verdict = static_cast<Verdict>(k)});
  }
  const Totals t = totals_of(result);
  CHECK(t.pass == 1);
  CHECK(t.fail == 2);
  CHECK(t.known_deviation == 3);
  CHECK(t.inconclusive == 4);
  CHECK(t.not_applicable == 5);
  CHECK(t.measured == 6);
  CHECK(t.not_run == 7);
  CHECK(name_of(Verdict::kKnownDeviation) == "known deviation");
}
