// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests a conformance run with a target that behaves arbitrarily: its answers to packets, its
// replies to requests about its state, and the times of both. Other inputs are passed as text to the parsers
// of packets, expectations, expressions, groups of cases, and profiles. A run must always end, and its result
// must be bounded.
#include "conformance/own_target.hpp"
#include "conformance/suite.hpp"
#include "conformance/virtual_run.hpp"
#include "input.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <deque>
#include <string>

using namespace softfeb;
using namespace softfeb::conformance;
using fuzz::Input;
using fuzz::require;

namespace {

/// Cases that together contain every kind of step.
constexpr const char* kGroup = R"yaml(group: X
title: x
cases:
  - {$common, id: X-01,
      run: {qp: {receives: 2}, steps: [{send: "O(e,8)! OI(e+1,P)!", expect: "ACK e msn 1; ACK e+1 msn 2; CNPS|none",
        fields: {dmac: own, udpsum: valid, psn: same, ttl: report}, figure: f}, {receive: 1}, {check: true},
        {drop: "O(e+2,8,tver=1)!"}], completions: [{length: P}], counters: {x: 0..2}, solicited_events: 0}}
  - {$common, id: X-02, run: [{steps: [{every_bit: "O(e,0)!"}, {mutate: 9}, {fill: true}]},
      {qps: [{}, {transport: uc}], steps: [{send: "O(e,1)", qp: 1}, {modify: error}], ending: error, written: any}]}
  - {$common, id: X-03, run: {steps: [{send: "F(e,P,len=2P) L(e+1)!", times: 3, interval: 1ms, one_at_a_time: true,
      expect: "ACKS e..e+1|NAK61 e|none; any", settle: true}, {wait: 1ms}, {destroy: true}]}}
)yaml";

const Catalogue& catalogue() {
  static const Catalogue kSmall = [] {
    std::string text = kGroup;
    const std::string common = "$common", keys =
                                              "title: t, section: '9', service: RC, opcodes: 0A, severity: "
                                              "high, level: shall, stimulus: s, expected: e";
    for (std::size_t at; (at = text.find(common)) != std::string::npos;)
      text.replace(at, common.size(), keys);
    return Catalogue({parse_group(text, "X.yaml")});
  }();
  return kSmall;
}

/// Returns a text made of words that the parsers know and of arbitrary bytes.
std::string text_from(Input& in) {
  constexpr const char* kWords[] = {"O(",         "OI(",        "F(",        "L(",        "READ(",
                                    "CMP_SWAP(",  "CNP(",       "e",         "+1",        "P",
                                    "S",          "i",          "2",         "0x",        "/",
                                    "-",          ",",          ")",         "!",         " ",
                                    "~",          "=",          "^",         ".",         "len",
                                    "psn",        "split",      "cut",       "icrc",      "none",
                                    "udpsum",     "right",      "at",        "va",        "imm",
                                    "v1",         "ihl",        "payload",   "pad",       "rkey",
                                    "ACK ",       "ACKS ",      "NAK60 ",    "RNR ",      "CNPS",
                                    "any",        "silence",    "; ",        "|",         "..",
                                    " msn ",      " code ",     "region",    " credits ", "\n",
                                    "group: X\n", "title: x\n", "cases:\n",  "  - ",      "    ",
                                    "{",          "}",          "[",         "]",         ": ",
                                    "id: X-01",   "run: ",      "steps: ",   "send: ",    "drop: ",
                                    "expect: ",   "for: ",      "$",         "name: x\n", "deviations: ",
                                    "X-01: ",     "why: w",     "observe: ", "destqp",    "unused"};
  const bool words = in.byte() < 200;
  std::string out;
  while (!in.empty() && out.size() < 4096) {
    const std::uint8_t byte = in.byte();
    if (words && byte < 240) {
      out += kWords[byte % std::size(kWords)];
    } else {
      out += static_cast<char>(byte);
    }
  }
  return out;
}

/// Parses `text` with the parser that `which` selects. The parser must accept the text or throw a
/// NotationError.
void parse(std::uint8_t which, const std::string& text) {
  try {
    switch (which % 5) {
      case 0: {
        Script script({.path = {.source_ip = *roce::IpAddress::parse("10.0.0.1"),
                                .dest_ip = *roce::IpAddress::parse(which >= 128 ? "10.0.0.2" : "fd00::2")},
                       .regions = {{.address = 0x1000, .rkey = 7, .size = Script::kRegionSize}}});
        for (const PacketSpec& spec : parse_packets(text)) {
          spec.unspoilt();
          for (const auto& frame : script.make(spec).frames) require(frame.size() < 70'000);
        }
        break;
      }
      case 1: {
        const Expectation expectation = Expectation::parse(text);
        Matcher matcher(expectation, {.e = 5, .pmtu = 1024, .size = 4096, .i = 0});
        for (std::uint8_t k = 0; k < 8; ++k) {
          Answer answer;
          answer.opcode = k % 4 == 3 ? 0x81 : 0x11;
          answer.psn = 5U + k / 2;
          if (k % 4 != 3)
            answer.aeth = roce::Aeth{.syndrome = static_cast<std::uint8_t>(k % 2 * 0x60), .msn = k};
          matcher.take(answer);
          require(matcher.complete() == matcher.missing().empty());
        }
        break;
      }
      case 2:
        Expression::parse(text).value({.e = 1, .pmtu = 2, .size = 3, .i = 4});
        break;
      case 3:
        for (const Case& c : parse_group(text, "fuzz.yaml").cases) require(!c.id.empty());
        break;
      default: {
        std::string base;
        to_yaml(parse_profile(text, "fuzz.yaml", catalogue(), base));
        break;
      }
    }
  } catch (const NotationError& error) {
    require(*error.what() != '\0');
  }
}

/// Returns a frame that the target sends to the board: usually a valid acknowledgement with a few wrong
/// bytes.
std::vector<std::uint8_t> answer_from(Input& in, roce::Qpn qpn, roce::Psn psn) {
  static const roce::HeaderTemplate kHeaders(
      {.source_ip = *roce::IpAddress::parse("10.0.0.2"), .dest_ip = *roce::IpAddress::parse("10.0.0.1")});
  const std::uint8_t what = in.byte();
  std::vector<std::uint8_t> transport = {0x11, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x1f, 0, 0, 1};
  store_be24(&transport[5], qpn + what % 4 / 3);
  store_be24(&transport[9], psn + what / 4 % 4);
  transport.resize(std::max<std::size_t>(12, transport.size() + what / 16 % 4 * 4 - what / 64 % 2 * 4));
  if (what % 8 == 5) transport[0] = in.byte();
  for (std::uint8_t k = in.byte() % 4; k != 0; --k) transport[in.byte() % transport.size()] = in.byte();
  std::vector<std::uint8_t> frame(kHeaders.size());
  kHeaders.write(frame.data(), static_cast<std::uint32_t>(transport.size() + roce::kIcrcSize), 1);
  frame.insert(frame.end(), transport.begin(), transport.end());
  const std::uint32_t icrc = roce::icrc_of(Segments(ByteSpan(frame).subspan(kHeaders.ip_offset())));
  frame.resize(frame.size() + roce::kIcrcSize);
  store_le32(&frame[frame.size() - roce::kIcrcSize], icrc);
  if (what >= 250) frame[in.size(frame.size())] ^= in.byte();
  return frame;
}

/// A run against a target whose answers and replies come from the fuzzer.
class Run {
 public:
  explicit Run(Input& in) : in_(in), suite_(catalogue(), config(in), environment(in), {}, 0) {}

  void operator()() {
    // Each iteration advances the time or the state of the run, so the number of iterations is limited.
    for (std::size_t steps = 0; !suite_.done(); ++steps) {
      require(steps < 200'000);
      Frames frames;
      suite_.run(now_, frames);
      for (const auto& frame : frames) answer(frame);
      if (const auto request = suite_.take_request()) {
        suite_.on_reply(reply(*request), now_);
        continue;
      }
      if (suite_.done()) break;
      const Time next = suite_.next_event();
      require(next != kNever);
      now_ = std::max(now_, next);
    }
    for (const CaseResult& r : suite_.result().cases) {
      require(r.trace.size() <= kMostTraced && r.findings.size() <= kMostTraced);
      require(r.verdict != Verdict::kFail || !r.reason.empty());
    }
    draft_profile(suite_.result(), "iba");
  }

 private:
  static SuiteConfig config(Input& in) {
    SuiteConfig out;
    out.cases = select(catalogue(), {});
    out.seed = in.byte();
    out.attempts = 1 + in.byte() % 2U;
    out.time_limit = in.byte() % 4 == 0 ? in.byte() * 10 * kMillisecond : kNever;
    return out;
  }
  static CaseEnvironment environment(Input& in) {
    const std::uint8_t what = in.byte();
    CaseEnvironment out;
    out.target = {.memory = (what & 1) != 0,
                  .receives = (what & 2) != 0,
                  .states = (what & 4) != 0,
                  .counters = (what & 8) != 0};
    out.path = {.source_ip = *roce::IpAddress::parse("10.0.0.1"),
                .dest_ip = *roce::IpAddress::parse("10.0.0.2")};
    out.regions.assign(4, {.address = 0x1000, .rkey = 7, .size = Script::kRegionSize});
    return out;
  }

  /// Answers a packet with the right acknowledgement, or with frames that the fuzzer makes. When no input is
  /// left, the answer is always the right acknowledgement.
  void answer(const std::vector<std::uint8_t>& frame) {
    const std::size_t bth = 42;
    if (frame.size() < bth + roce::Bth::kSize) return;
    const auto sent = *roce::Bth::decode(ByteSpan(frame).subspan(bth));
    std::uint8_t what = in_.byte();
    if (what < 160) {
      if (sent.dest_qp < kFirstQpn || sent.dest_qp - kFirstQpn >= peers_.size()) return;
      Answer ack{.at = now_, .opcode = 0x11, .psn = sent.psn, .dest_qp = peers_[sent.dest_qp - kFirstQpn]};
      ack.source_ip = *roce::IpAddress::parse("10.0.0.2");
      ack.aeth = roce::Aeth{.msn = ++msn_};
      ack.icrc_right = true;
      if (sent.ack_req) suite_.on_answer(ack, now_);
      return;
    }
    for (what %= 4; what != 0; --what) {
      const roce::Qpn qpn =
          peers_.empty() ? 1
                         : peers_[peers_.size() - 1 - in_.byte() % std::min<std::size_t>(3, peers_.size())];
      const auto bytes = answer_from(in_, qpn, sent.psn);
      const Segments whole{ByteSpan(bytes)};
      const roce::ParsedFrame parsed = roce::parse_frame(whole);
      if (parsed.kind != roce::FrameKind::kUdp) continue;
      if (const auto read = read_answer(whole, parsed, now_)) suite_.on_answer(*read, now_);
    }
  }

  TargetReply reply(const TargetRequest& request) {
    TargetReply out;
    const std::uint8_t what = in_.byte();
    if (const auto* const open = std::get_if<OpenRequest>(&request)) {
      out.qp = static_cast<roce::Qpn>(kFirstQpn + peers_.size());
      peers_.push_back(open->requester_qp);
      msn_ = 0;
      if (what == 255) {
        out.fixed = TargetReply::Fixed{0x800U + in_.byte(), in_.byte(), {0x9000, 9, 1 + in_.size(65'536)}};
        peers_.back() = out.fixed->requester_qp;
      }
    } else if (const auto* const read = std::get_if<ReadRequest>(&request)) {
      out.bytes.assign(what < 250 ? read->length : in_.size(70'000), kGuard);
      for (std::uint8_t k = what % 4; k != 0 && !out.bytes.empty(); --k)
        out.bytes[in_.size(out.bytes.size())] = in_.byte();
    } else if (std::holds_alternative<CompletionsRequest>(request)) {
      out.completions.resize(what % 3);
      for (Completion& c : out.completions)
        c = {.qp = 1, .success = in_.byte() < 200, .length = in_.byte() * 8U};
    } else if (std::holds_alternative<CountersRequest>(request) && what % 4 != 0) {
      out.counters["x"] = in_.byte();
    }
    out.crc = what;
    out.event = what % 2 != 0;
    out.state = what % 8 == 0 ? TargetState::kError : TargetState::kRts;
    if (what >= 240 && what < 250) {
      out.error = "refused";
      out.unsupported = what < 243;
      out.gone = what == 249;
    }
    return out;
  }

  static constexpr roce::Qpn kFirstQpn = 0x500;

  Input& in_;
  Suite suite_;
  Time now_ = 0;
  std::vector<roce::Qpn> peers_;  ///< for each QPN of the target, the QPN of the board that is its peer
  std::uint32_t msn_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const std::uint8_t what = in.byte();
  if (what % 2 == 0) {
    parse(what / 2, text_from(in));
  } else {
    Run run(in);
    run();
  }
  return 0;
}
