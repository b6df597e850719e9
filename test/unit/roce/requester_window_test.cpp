// SPDX-License-Identifier: BSD-3-Clause
#include "requester_fixture.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;

namespace {

using Psns = std::vector<Psn>;
using Ids = std::vector<std::uint64_t>;
using Results = std::vector<IdStatus>;
using Bits = std::vector<bool>;

RequesterConfig small_path() {
  RequesterConfig c;
  c.pmtu = 256;
  return c;
}

Bits ack_requests(const std::vector<RequestPacket>& packets) {
  Bits out;
  for (const auto& p : packets) out.push_back(p.ack_req);
  return out;
}

}  // namespace

TEST_CASE("requester: at most the window of requests is in flight", "[requester]") {
  RequesterConfig c = small_path();
  c.window_requests = 3;
  RequesterFixture f(c);
  for (std::uint64_t id = 1; id <= 5; ++id) f.post(id, 300);
  CHECK(f.drain_psns() == Psns{0, 1, 2, 3, 4, 5});
  f.ack(2);  // completes request 1, but only the first packet of request 2
  CHECK(f.drain_psns() == Psns{6, 7});
  f.sequence_nak(3);
  CHECK(f.drain_psns() == Psns{3, 4, 5, 6, 7});
  f.ack(5);
  CHECK(f.drain_psns() == Psns{8, 9});
}

TEST_CASE("requester: at most the window of packets is in flight", "[requester]") {
  RequesterConfig c = small_path();
  c.window_packets = 4;
  RequesterFixture f(c);
  f.post(1, 256 * 10);
  auto packets = f.drain();
  REQUIRE(packets.size() == 4);
  CHECK(ack_requests(packets) == Bits{false, true, false, true});
  f.ack(1);
  CHECK(f.drain_psns() == Psns{4, 5});
}

TEST_CASE("requester: AckReq by signaled, ack_every and sqSigAll", "[requester]") {
  RequesterConfig c = small_path();
  c.timing = TimingProfile::kFirmware;
  SECTION("firmware: only on the last packet of signaled requests") {
    RequesterFixture f(c);
    f.post(1, 600);
    f.post(2, 600, false);
    CHECK(ack_requests(f.drain()) == Bits{false, false, true, false, false, false});
  }
  SECTION("additionally every N-th packet of a message") {
    c.ack_every = 2;
    RequesterFixture f(c);
    f.post(1, 256 * 5, false);
    f.post(2, 256 * 3);
    CHECK(ack_requests(f.drain()) == Bits{false, true, false, true, false, false, true, true});
  }
  SECTION("sqSigAll: the firmware requests ACKs everywhere and completes signaled requests") {
    c.sq_sig_all = true;
    RequesterFixture f(c);
    f.post(1, 600, false);
    f.post(2, 10);
    CHECK(ack_requests(f.drain()) == Bits{true, true, true, true});
    f.ack(3);
    CHECK(f.completed_ids() == Ids{2});
  }
  SECTION("sqSigAll: the standard completes everything") {
    c.timing = TimingProfile::kStandard;
    c.sq_sig_all = true;
    RequesterFixture f(c);
    f.post(1, 600, false);
    f.post(2, 10, false);
    CHECK(ack_requests(f.drain()) == Bits{false, false, true, true});
    f.ack(3);
    CHECK(f.completed_ids() == Ids{1, 2});
  }
}

TEST_CASE("requester: unsignaled requests ask if no later request will", "[requester]") {
  RequesterConfig c = small_path();
  c.window_requests = 4;
  RequesterFixture f(c);
  for (std::uint64_t id = 1; id <= 6; ++id) f.post(id, 10, false);
  CHECK(ack_requests(f.drain()) == Bits{false, false, false, true});  // request 4 fills the window
  f.ack(3);
  CHECK(ack_requests(f.drain()) == Bits{false, true});  // request 6 is the last in the queue
  f.post(7, 10, false);
  f.sequence_nak(4);
  // The retransmitted request 6 still requests an ACK, although it is no longer the last.
  CHECK(ack_requests(f.drain()) == Bits{false, true, true});
  f.ack(6);
  CHECK(f.q.idle());
  CHECK(f.completions().empty());
  CHECK(f.q.counters().messages_completed == 7);
}

TEST_CASE("requester: unsignaled successes free their slots without a poll", "[requester]") {
  RequesterConfig c = small_path();
  c.send_queue_depth = 3;
  RequesterFixture f(c);
  for (std::uint64_t id = 0; id < 100; ++id) {
    REQUIRE(f.post(id, 10, false));
    f.ack(f.drain().back().psn);
  }
  CHECK(f.q.counters().messages_completed == 100);
}

TEST_CASE("requester: a full queue accepts nothing", "[requester]") {
  RequesterConfig c = small_path();
  c.send_queue_depth = 3;
  RequesterFixture f(c);
  for (std::uint64_t id = 1; id <= 3; ++id) CHECK(f.post(id, 10));
  CHECK_FALSE(f.q.can_post());
  CHECK_FALSE(f.post(4, 10));
  f.drain();
  f.ack(0);
  CHECK_FALSE(f.q.can_post());  // request 1 occupies its slot until its completion is polled
  CHECK(f.completed_ids() == Ids{1});
  CHECK(f.post(4, 10));
}

TEST_CASE("requester: 2 GiB at path MTU 256 keep PSNs unambiguous and ask in time", "[requester]") {
  RequesterConfig c = small_path();
  c.initial_psn = 0xabcdef;
  c.timing = GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware);
  RequesterFixture f(c);
  f.post(1, kMaxMessage, false);
  f.post(2, 1);
  std::uint64_t sent = 0, acked = 0, asked = 0, longest = 0, bytes = 0, in_flight_max = 0, opcodes_wrong = 0;
  const std::uint64_t packets = kMaxMessage / 256;
  while (acked < packets + 1) {
    while (f.q.ready(f.now)) {
      const RequestPacket p = f.q.next(f.now);
      const unsigned expected = sent == 0            ? 0x06U
                                : sent + 1 < packets ? 0x07U
                                : sent < packets     ? 0x08U
                                                     : 0x0aU;
      opcodes_wrong += p.opcode != expected || p.psn != psn_add(0xabcdef, static_cast<std::uint32_t>(sent));
      bytes += p.payload_length;
      ++sent;
      if (p.ack_req) {
        longest = std::max(longest, sent - asked);
        asked = sent;
      }
      in_flight_max = std::max(in_flight_max, sent - acked);
    }
    REQUIRE(asked > acked);  // otherwise no ACK would ever arrive
    acked = asked;
    f.ack(psn_add(0xabcdef, static_cast<std::uint32_t>(acked - 1)));
  }
  CHECK(opcodes_wrong == 0);
  CHECK(bytes == std::uint64_t{kMaxMessage} + 1);
  CHECK(longest <= 1U << 21);
  CHECK(in_flight_max == kMaxWindowPackets);
  CHECK(f.completed_ids() == Ids{2});
}

TEST_CASE("requester: SQD finishes what has begun and holds the rest", "[requester]") {
  RequesterFixture f(small_path());
  f.post(1, 600);
  f.post(2, 10);
  f.q.next(f.now);
  f.q.set_state(QpState::kSqd, f.now);
  CHECK(f.drain_psns() == Psns{1, 2});
  f.sequence_nak(1);
  CHECK(f.drain_psns() == Psns{1, 2});
  f.ack(2);
  CHECK_FALSE(f.q.ready(f.now));
  f.q.set_state(QpState::kRts, f.now);
  CHECK(f.drain_psns() == Psns{3});
}

TEST_CASE("requester: a command to ERR flushes everything", "[requester]") {
  RequesterFixture f(small_path());
  f.post(1, 10);
  f.post(2, 10, false);
  f.q.next(f.now);
  f.q.set_state(QpState::kErr, f.now);
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kFlushed}, {2, WcStatus::kFlushed}});
  CHECK_FALSE(f.q.ready(f.now));
}

TEST_CASE("requester: UC completes when the last packet has left", "[requester]") {
  RequesterConfig c = small_path();
  c.transport = Transport::kUc;
  c.window_requests = 1;
  RequesterFixture f(c);
  f.post(1, 300);
  f.post(2, 300);
  CHECK(f.q.next(f.now).opcode == 0x26);
  CHECK(f.completions().empty());
  CHECK(ack_requests(f.drain()) == Bits{false, false, false});
  CHECK(f.completed_ids() == Ids{1, 2});
  CHECK(f.q.deadline() == kNever);
  f.ack(0);
  CHECK(f.q.counters().responses_ignored == 1);
}

TEST_CASE("requester: an unsupported verb fails in order", "[requester]") {
  RequesterFixture f(small_path());
  WorkRequest bad = RequesterFixture::write(2, 100);
  bad.opcode = static_cast<WrOpcode>(4);
  f.post(1, 10);
  SECTION("after a request that is still in flight") {
    f.drain();
    CHECK(f.q.post(bad, f.now));
    f.post(3, 10);
    CHECK_FALSE(f.q.ready(f.now));
    CHECK(f.q.state() == QpState::kRts);
    f.expire();  // the previous request is still retransmitted after a timeout
    CHECK(f.drain_psns() == Psns{0});
    f.ack(0);
  }
  SECTION("after one that has not left") {
    CHECK(f.q.post(bad, f.now));
    f.post(3, 10);
    CHECK(f.drain_psns() == Psns{0});
    f.ack(0);
  }
  CHECK(id_status(f.completions()) ==
        Results{{1, WcStatus::kSuccess}, {2, WcStatus::kLocalOperationError}, {3, WcStatus::kFlushed}});
  CHECK(f.q.state() == QpState::kErr);
}

TEST_CASE("requester: a message above 2 GiB is refused", "[requester]") {
  RequesterFixture f(small_path());
  f.post(1, kMaxMessage + 1);
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kLocalOperationError}});
}

TEST_CASE("requester: unavailable payload", "[requester]") {
  RequesterConfig c = small_path();
  c.transport = GENERATE(Transport::kRc, Transport::kUc);
  RequesterFixture f(c);
  f.post(1, 600);
  f.post(2, 10);
  const int sent_before = GENERATE(0, 1, 2);
  for (int i = 0; i <= sent_before; ++i) f.q.next(f.now);
  f.q.payload_error(f.now);
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kLocalOperationError}, {2, WcStatus::kFlushed}});
  CHECK(f.q.counters().packets == static_cast<unsigned>(sent_before));
  CHECK(f.q.counters().payload_bytes == static_cast<unsigned>(sent_before) * 256);
  CHECK(f.q.counters().messages_failed == 2);
  CHECK(f.q.counters().messages_completed == 0);
}

TEST_CASE("requester: a payload error waits for the requests before it", "[requester]") {
  RequesterFixture f(small_path());
  f.post(1, 10, GENERATE(true, false));
  const bool asked = f.q.peek().ack_req;
  f.q.next(f.now);
  f.post(2, 600);
  f.q.next(f.now);
  f.q.payload_error(f.now);
  CHECK(asked);
  CHECK(f.completions().empty());
  CHECK_FALSE(f.q.ready(f.now));
  f.ack(0);
  const auto done = id_status(f.completions());
  REQUIRE_FALSE(done.empty());
  CHECK(done.back() == IdStatus{2, WcStatus::kLocalOperationError});
  CHECK(f.q.counters().messages_completed == 1);
}

TEST_CASE("requester: a payload error after a request without AckReq is reported at once", "[requester]") {
  RequesterFixture f(small_path());
  f.post(1, 10, false);
  f.post(2, 600);
  f.q.next(f.now);
  f.q.next(f.now);
  f.q.payload_error(f.now);
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kFlushed}, {2, WcStatus::kLocalOperationError}});
}
