// SPDX-License-Identifier: BSD-3-Clause
// Compares the fast path for packets in the middle of messages with next(), packet by packet, for random
// sequences of events.
#include "base/rng.hpp"
#include "requester_fixture.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;

namespace {

RequesterConfig some_config(Rng& rng) {
  RequesterConfig c;
  c.transport = rng.below(4) == 0 ? Transport::kUc : Transport::kRc;
  c.timing = rng.below(3) == 0 ? TimingProfile::kFirmware : TimingProfile::kStandard;
  c.sq_sig_all = rng.below(4) == 0;
  c.pmtu = 256U << rng.below(3);
  c.initial_psn = rng.below(2) == 0 ? 0xff'fff0 : 7;
  c.window_packets = rng.below(2) == 0 ? 0 : 1 + static_cast<std::uint32_t>(rng.below(40));
  c.window_requests = 1 + static_cast<std::uint32_t>(rng.below(5));
  c.ack_every = static_cast<std::uint32_t>(rng.below(5));
  c.retry_count = 7;
  return c;
}

/// Two requesters that get the same calls. Only `runner` uses the fast path.
struct Pair {
  explicit Pair(const RequesterConfig& c) : plain(c), runner(c) {}

  template <class Do>
  void both(Do&& act) {
    act(plain);
    act(runner);
  }

  void send() {
    REQUIRE(plain.q.ready(plain.now) == runner.q.ready(plain.now));
    if (!plain.q.ready(plain.now)) return;
    if (!runner.q.in_run() && !runner.q.begin_run()) {
      REQUIRE(plain.q.next(plain.now).psn == runner.q.next(plain.now).psn);
      return;
    }
    ++of_runs;
    REQUIRE(runner.q.next_transport_bytes() == plain.q.next_transport_bytes());
    const RequestPacket common = runner.q.run_packet();
    const Requester::PlainPacket b = runner.q.next_of_run();
    const RequestPacket a = plain.q.next(plain.now);
    REQUIRE(a.psn == b.psn);
    REQUIRE(a.payload_offset == b.payload_offset);
    REQUIRE(a.opcode == common.opcode);
    REQUIRE(a.solicited == common.solicited);
    REQUIRE(a.payload_length == common.payload_length);
    REQUIRE_FALSE(a.ack_req);
    REQUIRE_FALSE(a.retransmission);
    REQUIRE(opcode_operation(a.opcode) == Operation::kWriteMiddle);
  }

  void compare() {
    REQUIRE(plain.q.deadline() == runner.q.deadline());
    REQUIRE(plain.q.next_psn() == runner.q.next_psn());
    REQUIRE(plain.q.counters().packets == runner.q.counters().packets);
    REQUIRE(plain.q.counters().payload_bytes == runner.q.counters().payload_bytes);
    REQUIRE(plain.q.outstanding() == runner.q.outstanding());
    REQUIRE(plain.q.state() == runner.q.state());
    REQUIRE(plain.completed_ids() == runner.completed_ids());
  }

  RequesterFixture plain, runner;
  unsigned of_runs = 0;
};

void disturb(Pair& p, Rng& rng, std::uint64_t& id) {
  const std::uint64_t kind = rng.below(40);
  const Psn psn = psn_add(p.plain.q.next_psn(), static_cast<std::uint32_t>(-rng.below(20)));
  if (kind < 4) {
    p.both([&](RequesterFixture& f) { f.ack(psn); });
  } else if (kind == 4) {
    p.both([&](RequesterFixture& f) { f.sequence_nak(psn); });
  } else if (kind == 5) {
    p.both([&](RequesterFixture& f) { f.rnr(1, psn); });
  } else if (kind == 6) {
    const QpState state = rng.below(2) == 0 ? QpState::kSqd : QpState::kRts;
    p.both([&](RequesterFixture& f) { f.q.set_state(state, f.now); });
  } else if (kind == 7 && p.plain.q.deadline() != kNever) {
    p.both([](RequesterFixture& f) { f.expire(); });
  } else if (kind < 11) {
    const auto length = static_cast<std::uint32_t>(rng.below(20'000));
    const bool signaled = rng.below(2) == 0;
    ++id;
    p.both([&](RequesterFixture& f) { f.post(id, length, signaled); });
  }
}

}  // namespace

TEST_CASE("requester: packets of the fast path equal those of next()", "[requester][run]") {
  unsigned of_runs = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Pair p(some_config(rng));
    std::uint64_t id = 0;
    for (int k = 0; k < 400; ++k) {
      const std::uint64_t sent = p.plain.q.counters().packets;
      p.send();
      const bool left = p.plain.q.counters().packets != sent;
      // payload_error() refers to the packet that was taken last, so call it only after a packet.
      if (left && rng.below(400) == 0) p.both([](RequesterFixture& f) { f.q.payload_error(f.now); });
      disturb(p, rng, id);
      p.compare();
    }
    of_runs += p.of_runs;
  }
  CHECK(of_runs > 5000);
}

TEST_CASE("requester: the fast path ends before a packet that requests an acknowledgement",
          "[requester][run]") {
  RequesterConfig c;
  c.pmtu = 256;
  c.ack_every = 4;
  RequesterFixture f(c);
  f.post(1, 10 * 256);
  CHECK_FALSE(f.q.begin_run());  // a run cannot begin with the first packet of a message
  f.q.next(0);
  REQUIRE(f.q.begin_run());
  CHECK(f.q.next_of_run().psn == 1);
  CHECK(f.q.next_of_run().psn == 2);
  CHECK_FALSE(f.q.in_run());
  CHECK_FALSE(f.q.begin_run());
  CHECK(f.q.next(0).ack_req);
  REQUIRE(f.q.begin_run());
  CHECK(f.q.next_of_run().payload_offset == 0x1000'0000 + 4 * 256);
}

TEST_CASE("requester: any event ends the fast path", "[requester][run]") {
  RequesterConfig c;
  c.pmtu = 256;
  RequesterFixture f(c);
  f.post(1, 100 * 256);
  f.q.next(0);
  const auto ends = [&f](auto&& event) {
    REQUIRE(f.q.begin_run());
    event();
    CHECK_FALSE(f.q.in_run());
  };
  ends([&] { f.post(2, 10); });
  ends([&] { f.ack(0); });
  ends([&] { f.ack(0x5000); });
  ends([&] { f.q.on_timer(0); });
  ends([&] { f.q.on_bad_response(0x5000, 0); });
  ends([&] { f.q.set_state(QpState::kRts, 0); });
  ends([&] { f.q.next(0); });
  ends([&] { f.q.end_run(); });
  f.q.set_state(QpState::kSqd, 0);
  CHECK_FALSE(f.q.begin_run());
}

TEST_CASE("requester: the fast path does not start without packets to send", "[requester][run]") {
  RequesterConfig c;
  c.pmtu = 256;
  RequesterFixture f(c);
  CHECK_FALSE(f.q.begin_run());
  f.post(1, 256);
  f.q.next(0);
  CHECK_FALSE(f.q.begin_run());
  // The refused calls have not prepared packets of messages that were posted later.
  f.post(2, 3 * 256);
  CHECK(opcode_operation(f.q.next(0).opcode) == Operation::kWriteFirst);
  CHECK(f.q.begin_run());
}
