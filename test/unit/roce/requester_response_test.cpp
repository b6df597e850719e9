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

RequesterConfig small() {
  RequesterConfig c;
  c.pmtu = 256;
  c.qpn = 77;
  return c;
}

bool same_wire(const RequestPacket& a, const RequestPacket& b) {
  std::uint8_t x[kMaxTransportHeaders] = {}, y[kMaxTransportHeaders] = {};
  return encode_request(a, 1, kDefaultPkey, x) == encode_request(b, 1, kDefaultPkey, y) &&
         std::equal(std::begin(x), std::end(x), y) && a.payload_offset == b.payload_offset &&
         a.payload_length == b.payload_length;
}

}  // namespace

TEST_CASE("requester: one ACK completes everything before it, in posting order", "[requester]") {
  RequesterFixture f(small());
  for (std::uint64_t id = 1; id <= 4; ++id) f.post(id, 300);  // use PSNs 0-1, 2-3, 4-5 and 6-7
  f.drain();
  f.ack(4);  // acknowledges two messages and a part of the third
  CHECK(f.completed_ids() == Ids{1, 2});
  f.ack(7);
  const auto done = f.completions();
  REQUIRE(id_status(done) == Results{{3, WcStatus::kSuccess}, {4, WcStatus::kSuccess}});
  CHECK(done[0].qpn == 77);
  CHECK(done[0].length == 300);
  CHECK(done[0].opcode == 1);
  CHECK(f.q.idle());
}

TEST_CASE("requester: old, duplicate and future responses change nothing", "[requester]") {
  RequesterConfig c = small();
  c.initial_psn = 0xfffffe;
  RequesterFixture f(c);
  for (std::uint64_t id = 1; id <= 4; ++id) f.post(id, 10);  // use PSNs 0xfffffe, 0xffffff, 0 and 1
  f.drain();
  f.ack(0xffffff);
  CHECK(f.completed_ids() == Ids{1, 2});
  for (const Psn psn : {0xfffffdU, 0xffffffU, 2U, 0x7fffffU, 0x800000U, 0x123456U}) {
    f.ack(psn);
    f.sequence_nak(psn);
    f.rnr(1, psn);
    f.nak(AethKind::kNakRemoteAccess, psn);
    f.q.on_bad_response(psn, f.now);
  }
  CHECK(f.q.counters().responses_ignored == 30);
  CHECK(f.completions().empty());
  CHECK_FALSE(f.q.ready(f.now));
  CHECK(f.q.state() == QpState::kRts);
  f.ack(1);
  CHECK(f.completed_ids() == Ids{3, 4});
}

TEST_CASE("requester: reserved syndromes are ignored", "[requester]") {
  RequesterFixture f(small());
  f.post(1, 10);
  f.drain();
  for (const unsigned s : {0x40U, 0x5fU, 0x65U, 0x7fU, 0x80U, 0xffU})
    f.respond(static_cast<std::uint8_t>(s), 0);
  CHECK(f.q.counters().responses_ignored == 6);
  CHECK(f.q.outstanding() == 1);
}

TEST_CASE("requester: a sequence NAK resumes inside a message with identical packets", "[requester]") {
  RequesterConfig c = small();
  c.initial_psn = 0xfffffd;
  c.ack_every = 3;
  RequesterFixture f(c);
  f.post(1, 10);
  f.post(2, 256 * 7 + 3);
  f.post(3, 100, false);
  const auto first = f.drain();
  const auto resume = GENERATE(1U, 2U, 5U, 8U, 9U);
  f.sequence_nak(first[resume].psn);
  CHECK(f.completed_ids() == (resume == 9 ? Ids{1, 2} : Ids{1}));
  const auto again = f.drain();
  REQUIRE(again.size() == first.size() - resume);
  for (std::size_t i = 0; i < again.size(); ++i) {
    CHECK(same_wire(again[i], first[resume + i]));
    CHECK(again[i].retransmission);
  }
  CHECK(f.q.counters().retransmitted_packets == again.size());
  CHECK(f.q.counters().nak_sequence_rx == 1);
}

TEST_CASE("requester: an ACK while going back skips what it covers", "[requester]") {
  RequesterFixture f(small());
  f.post(1, 256 * 8);
  f.drain();
  f.sequence_nak(2);
  CHECK(f.q.next(f.now).psn == 2);
  f.ack(5);
  CHECK(f.drain_psns() == Psns{6, 7});
}

TEST_CASE("requester: a NAK without news costs no retry", "[requester]") {
  RequesterConfig c = small();
  c.retry_count = 1;
  RequesterFixture f(c);
  f.post(1, 256 * 4);
  f.drain();
  f.sequence_nak(0);
  for (int i = 0; i < 5; ++i) f.sequence_nak(0);  // ignored, because no packet was sent since the first NAK
  CHECK(f.q.state() == QpState::kRts);
  CHECK(f.q.counters().responses_ignored == 5);
}

TEST_CASE("requester: sequence retries are counted; progress reloads them in the standard profile",
          "[requester]") {
  RequesterConfig c = small();
  c.retry_count = 2;
  c.timing = GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware);
  RequesterFixture f(c);
  f.post(1, 256 * 8);
  f.post(2, 10);
  f.drain();
  f.sequence_nak(1);
  f.drain();
  f.sequence_nak(2);
  f.drain();
  f.sequence_nak(3);
  if (c.timing == TimingProfile::kStandard) {
    f.drain();
    f.sequence_nak(3);
    CHECK(f.completions().empty());
    f.drain();
    f.sequence_nak(3);
  }
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kRetriesExceeded}, {2, WcStatus::kFlushed}});
  CHECK(f.q.state() == QpState::kErr);
}

TEST_CASE("requester: a completed request reloads both counters", "[requester]") {
  RequesterConfig c = small();
  c.retry_count = 1;
  c.rnr_retry = 1;
  c.timing = GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware);
  RequesterFixture f(c);
  for (std::uint64_t id = 1; id <= 4; ++id) f.post(id, 10);
  f.drain();
  for (Psn psn = 0; psn < 3; ++psn) {
    f.sequence_nak(psn);
    f.drain();
    f.rnr(1, psn);
    f.expire();
    f.drain();
    f.ack(psn);
  }
  CHECK(f.completed_ids() == Ids{1, 2, 3});
  CHECK(f.q.state() == QpState::kRts);
}

TEST_CASE("requester: 7 retries are infinite, each counter on its own", "[requester]") {
  RequesterConfig c = small();
  RequesterFixture f([&] {
    c.retry_count = 7;
    c.rnr_retry = 7;
    return c;
  }());
  f.post(1, 10);
  f.drain();
  for (int i = 0; i < 100; ++i) {
    f.sequence_nak(0);
    f.drain();
    f.rnr(1, 0);
    f.expire();
    f.drain();
    f.expire();
    f.drain();
  }
  CHECK(f.q.counters().timeouts == 100);
  CHECK(f.q.state() == QpState::kRts);
  f.ack(0);
  CHECK(f.completed_ids() == Ids{1});
}

TEST_CASE("requester: rnr_retry 7 with retry_count 3, standard and firmware of 2025", "[requester]") {
  RequesterConfig c = small();
  c.retry_count = 3;
  c.rnr_retry = 7;
  c.rnr_infinite_needs_both = GENERATE(false, true);
  RequesterFixture f(c);
  f.post(1, 10);
  f.drain();
  for (int i = 0; i < 8; ++i) {
    f.rnr(1, 0);
    if (f.q.state() != QpState::kRts) break;
    f.expire();
    f.drain();
  }
  CHECK((f.q.state() == QpState::kErr) == c.rnr_infinite_needs_both);
}

TEST_CASE("requester: RNR waits, then resends from the PSN named", "[requester]") {
  RequesterFixture f(small());
  f.post(1, 300);
  f.post(2, 300);
  f.drain();
  f.rnr(14, 2);
  CHECK(f.completed_ids() == Ids{1});
  const Time start = f.now;
  CHECK(f.q.deadline() == start + rnr_wait(14));
  CHECK_FALSE(f.q.ready(f.now));
  f.sequence_nak(2);  // caused by packets that were in flight behind the refused one
  f.rnr(14, 2);
  CHECK(f.q.counters().responses_ignored == 2);
  f.now = start + rnr_wait(14) - 1;
  f.q.on_timer(f.now);
  CHECK_FALSE(f.q.ready(f.now));
  f.now += 1;
  CHECK(f.drain_psns() == Psns{2, 3});
  CHECK(f.q.counters().rnr_rx == 2);
}

TEST_CASE("requester: a later ACK ends an RNR wait", "[requester]") {
  RequesterFixture f(small());
  f.post(1, 10);
  f.post(2, 10);
  f.drain();
  f.rnr(31, 0);
  f.ack(0);
  CHECK(f.drain_psns() == Psns{1});
}

TEST_CASE("requester: NAKs that follow RNRs do not add up", "[requester]") {
  RequesterConfig c;
  c.timing = GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware);
  c.rnr_retry = 7;
  c.retry_count = 2;
  RequesterFixture f(c);
  f.post(1, 100);
  f.post(2, 100);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(f.q.state() == QpState::kRts);
    f.drain();
    f.rnr(1, 0);
    f.expire();
    f.drain();
    // The second request, which followed the refused one, caused this NAK. A slow receiver may send the NAK
    // late.
    f.sequence_nak(0);
    if (f.q.state() == QpState::kErr) break;
  }
  CHECK((f.q.state() == QpState::kErr) == (c.timing == TimingProfile::kFirmware));
}

TEST_CASE("requester: RNR retries run out", "[requester]") {
  RequesterConfig c = small();
  c.rnr_retry = 2;
  RequesterFixture f(c);
  f.post(1, 10);
  f.drain();
  for (int i = 0; i < 2; ++i) {
    f.rnr(1, 0);
    f.expire();
    CHECK(f.drain_psns() == Psns{0});
  }
  f.rnr(1, 0);
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kRetriesExceeded}});
}

TEST_CASE("requester: fatal NAKs end the queue pair", "[requester]") {
  const auto [kind, status] = GENERATE(table<AethKind, WcStatus>({
      {AethKind::kNakInvalidRequest, WcStatus::kRemoteInvalidRequest},
      {AethKind::kNakRemoteAccess, WcStatus::kRemoteAccess},
      {AethKind::kNakRemoteOperational, WcStatus::kRemoteOperation},
      {AethKind::kNakInvalidRdRequest, WcStatus::kRemoteInvalidRd},
  }));
  RequesterFixture f(small());
  f.post(1, 10, false);
  f.post(2, 700);
  f.post(3, 10, false);
  f.drain();
  f.nak(kind, 2);  // refuses a packet of request 2
  CHECK(id_status(f.completions()) == Results{{2, status}, {3, WcStatus::kFlushed}});
  CHECK(f.q.state() == QpState::kErr);
  CHECK(f.q.deadline() == kNever);
  f.ack(3);
  f.q.set_state(QpState::kRts, f.now);
  CHECK(f.post(4, 10, false));
  CHECK_FALSE(f.q.ready(f.now));
  CHECK(id_status(f.completions()) == Results{{4, WcStatus::kFlushed}});
  CHECK(f.q.counters().messages_completed == 1);
  CHECK(f.q.counters().messages_failed == 3);
}

TEST_CASE("requester: a response of another kind is a bad response", "[requester]") {
  RequesterFixture f(small());
  f.post(1, 10);
  f.post(2, 10);
  f.drain();
  f.q.on_bad_response(1, f.now);
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kSuccess}, {2, WcStatus::kBadResponse}});
  for (unsigned op = 0; op < 256; ++op) {
    CHECK(is_foreign_response(static_cast<std::uint8_t>(op)) == ((op >= 0x0d && op <= 0x10) || op == 0x12));
  }
}

TEST_CASE("requester: RNR timer table", "[requester]") {
  CHECK(rnr_wait(0) == 655'360 * kMicrosecond);
  CHECK(rnr_wait(1) == 10 * kMicrosecond);
  CHECK(rnr_wait(12) == 640 * kMicrosecond);
  CHECK(rnr_wait(31) == 491'520 * kMicrosecond);
  for (std::uint8_t code = 2; code < 32; ++code) CHECK(rnr_wait(code) > rnr_wait(code - 1));
  // If the response and the requester's own minimum have different codes, the longer wait applies. Code 0 is
  // the longest wait, except in the firmware.
  CHECK(rnr_wait(TimingProfile::kStandard, 1, 4) == rnr_wait(4));
  CHECK(rnr_wait(TimingProfile::kStandard, 4, 1) == rnr_wait(4));
  CHECK(rnr_wait(TimingProfile::kStandard, 0, 1) == rnr_wait(0));
  CHECK(rnr_wait(TimingProfile::kFirmware, 0, 1) == rnr_wait(TimingProfile::kFirmware, 1, 1));
}
