// SPDX-License-Identifier: BSD-3-Clause
// Connects requester and responder by a link in memory that carries the bytes from BTH to pad.
#include "faulty_link.hpp"
#include "model_receiver.hpp"
#include "roce/requester.hpp"
#include "roce/responder.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kBase = 0x7f00'0000'0000;
constexpr std::uint32_t kRkey = 0x42;
constexpr std::uint32_t kSlot = 20'000;  ///< bytes of memory for each message

struct LoopConfig {
  RequesterConfig requester;
  LinkFaults out, back;
  unsigned messages = 100;
  std::uint64_t receives = kUnlimitedReceives;
};

class Loop {
 public:
  Loop(const LoopConfig& config, std::uint64_t seed)
      : config_(config),
        rng_(seed),
        memory_(config.messages * std::size_t{kSlot}),
        regions_{MemoryRegion{kBase, memory_.size(), kRkey, memory_.data()}},
        requester_(config.requester),
        responder_(responder_config(), regions_),
        out_(config.out, seed + 1),
        back_(config.back, seed + 2) {
    for (unsigned i = 0; i < config.messages; ++i) {
      WorkRequest r;
      r.id = i;
      r.opcode = rng_.below(2) == 0 ? WrOpcode::kWrite : WrOpcode::kWriteImm;
      r.remote_address = kBase + i * std::uint64_t{kSlot} + rng_.below(100);
      r.rkey = kRkey;
      r.length = static_cast<std::uint32_t>(rng_.below(4) == 0 ? rng_.below(3) : rng_.below(kSlot - 100));
      r.immediate = i;
      r.payload_offset = i * 0x1'0000'0000U;
      requests.push_back(r);
    }
  }

  void run() {
    std::size_t posted = 0;
    std::uint64_t steps = 0;
    while (posted < requests.size() || !requester_.idle()) {
      REQUIRE(++steps < 2'000'000);
      while (posted < requests.size() && requester_.can_post()) requester_.post(requests[posted++], now_);
      step();
      const bool busy = requester_.ready(now_) || (posted < requests.size() && requester_.can_post());
      const Time next = std::min({requester_.deadline(), out_.next_arrival(), back_.next_arrival()});
      if (!busy && !requester_.idle()) REQUIRE(next != kNever);
      now_ = busy || next == kNever ? now_ + 100 * kNanosecond : std::max(now_ + kNanosecond, next);
    }
    while (out_.next_arrival() != kNever) {
      now_ = out_.next_arrival();
      step();
    }
  }

  std::uint64_t wrong_bytes(const WorkRequest& r) const {
    std::uint64_t wrong = 0;
    for (std::uint32_t b = 0; b < r.length; ++b) {
      wrong += memory_[r.remote_address - kBase + b] != stream_byte(r.payload_offset + b);
    }
    return wrong;
  }

  Requester& requester() { return requester_; }
  Responder& responder() { return responder_; }

  std::vector<WorkRequest> requests;
  std::vector<MessageEvent> events;
  std::vector<Completion> completions;

 private:
  ResponderConfig responder_config() const {
    ResponderConfig c;
    c.transport = config_.requester.transport;
    c.pmtu = config_.requester.pmtu;
    c.expected_psn = config_.requester.initial_psn;
    c.receives = config_.receives;
    c.rnr_timer = 1;
    return c;
  }

  void step() {
    if (requester_.deadline() <= now_) requester_.on_timer(now_);
    if (requester_.ready(now_)) out_.send(render(requester_.next(now_)), now_);
    while (const auto packet = out_.receive(now_)) deliver(*packet);
    while (const auto packet = back_.receive(now_)) {
      const TransportPacket p = parse_transport(ByteSpan(*packet));
      REQUIRE(p.kind == TransportKind::kAcknowledge);
      requester_.on_response(p.aeth, p.request.bth.psn, now_);
    }
    for (Completion c; requester_.poll(c);) completions.push_back(c);
  }

  static Bytes render(const RequestPacket& p) {
    Bytes out(kMaxTransportHeaders);
    out.resize(encode_request(p, 0, kDefaultPkey, out.data()));
    for (std::uint32_t i = 0; i < p.payload_length; ++i) out.push_back(stream_byte(p.payload_offset + i));
    out.resize(out.size() + p.pad_count());
    return out;
  }

  void deliver(const Bytes& packet) {
    const TransportPacket p = parse_transport(ByteSpan(packet));
    REQUIRE(p.kind == TransportKind::kRequest);
    const RequestOutcome outcome = responder_.on_request(p.request);
    if (outcome.message) events.push_back(*outcome.message);
    if (!outcome.reply) return;
    // After each RNR NAK, the application posts one more receive.
    if (outcome.reply->aeth.kind() == AethKind::kRnrNak) responder_.post_receives(1);
    Bytes answer(Bth::kSize + Aeth::kSize);
    Bth bth;
    bth.opcode = kOpcodeRcAck;
    bth.psn = outcome.reply->psn;
    bth.encode(answer.data());
    outcome.reply->aeth.encode(&answer[Bth::kSize]);
    back_.send(answer, now_);
  }

  LoopConfig config_;
  Rng rng_;
  Bytes memory_;
  std::vector<MemoryRegion> regions_;
  Requester requester_;
  Responder responder_;
  FaultyLink<Bytes> out_, back_;
  Time now_ = 0;
};

LoopConfig random_config(Rng& rng) {
  LoopConfig c;
  c.requester.pmtu = pmtu_bytes(static_cast<unsigned>(1 + rng.below(5)));
  c.requester.initial_psn = static_cast<Psn>(kPsnMask - rng.below(200));
  c.requester.timeout = 4;
  c.requester.retry_count = 7;
  c.requester.window_requests = static_cast<std::uint32_t>(1 + rng.below(16));
  c.requester.ack_every = static_cast<std::uint32_t>(rng.below(3) * 8);
  c.requester.timing = rng.below(2) == 0 ? TimingProfile::kFirmware : TimingProfile::kStandard;
  c.out.loss = c.back.loss = percent(static_cast<unsigned>(rng.below(6)));
  c.out.duplication = c.back.duplication = percent(static_cast<unsigned>(rng.below(4)));
  c.out.delay = c.back.delay = percent(static_cast<unsigned>(rng.below(3)));
  return c;
}

}  // namespace

TEST_CASE("requester to responder, RC: every message once, memory correct, on any link", "[loop]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    LoopConfig config = random_config(rng);
    // Without receives, each message with immediate causes an RNR NAK before it succeeds.
    if (seed % 2 == 0) config.receives = 0;
    Loop loop(config, seed);
    loop.run();
    REQUIRE(loop.completions.size() == loop.requests.size());
    REQUIRE(loop.events.size() == loop.requests.size());
    std::uint64_t wrong = 0, immediates = 0;
    for (std::size_t i = 0; i < loop.requests.size(); ++i) {
      const WorkRequest& r = loop.requests[i];
      const bool immediate = r.opcode == WrOpcode::kWriteImm;
      immediates += immediate;
      wrong += loop.completions[i].id != i || loop.completions[i].status != WcStatus::kSuccess;
      wrong += loop.events[i].length != r.length || loop.events[i].has_immediate != immediate;
      wrong += immediate && loop.events[i].immediate != i;
      wrong += loop.wrong_bytes(r);
    }
    CHECK(wrong == 0);
    CHECK(loop.responder().state() == QpState::kRtr);
    CHECK(loop.responder().counters().immediates == immediates);
    if (config.receives == 0) CHECK(loop.requester().counters().rnr_rx > 0);
  }
}

TEST_CASE("requester to responder, UC: all complete, and whole messages are correct", "[loop]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    LoopConfig config = random_config(rng);
    config.requester.transport = Transport::kUc;
    config.out = LinkFaults{};
    config.out.loss = seed % 2 == 0 ? percent(2) : 0;
    Loop loop(config, seed);
    loop.run();
    CHECK(loop.completions.size() == loop.requests.size());
    CHECK(loop.requester().counters().retransmitted_packets == 0);
    if (config.out.loss == 0) CHECK(loop.events.size() == loop.requests.size());
    std::uint64_t wrong = 0;
    for (const MessageEvent& e : loop.events) {
      if (e.length == 0) continue;
      const WorkRequest& r = loop.requests.at((e.address - kBase) / kSlot);
      wrong += e.length != r.length || e.address != r.remote_address;
      wrong += loop.wrong_bytes(r);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("requester to responder: a refused request ends the queue pair", "[loop]") {
  LoopConfig config;
  config.messages = 5;
  Loop loop(config, 1);
  SECTION("wrong rkey") { loop.requests[2].rkey = kRkey + 1; }
  SECTION("out of bounds") { loop.requests[2].remote_address = kBase + 5 * kSlot - 1; }
  loop.requests[2].length = 100;
  loop.run();
  REQUIRE(loop.completions.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const WcStatus expected = i < 2    ? WcStatus::kSuccess
                              : i == 2 ? WcStatus::kRemoteAccess
                                       : WcStatus::kFlushed;
    CHECK(loop.completions[i].status == expected);
  }
}
