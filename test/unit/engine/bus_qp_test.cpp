// SPDX-License-Identifier: BSD-3-Clause
// Tests queue pairs that are created over the metadata bus: their life cycles, and the requests that they get
// from the dispatcher. Their peers are softfeb's receivers.
#include "bus_fixture.hpp"
#include "engine/snapshot.hpp"
#include "roce/craft.hpp"
#include "roce/udp_source_port.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using roce::QpState;
using test::BusFixture;

namespace {

/// Returns the frames in `log` that are addressed to UDP port `port`.
std::vector<std::vector<std::uint8_t>> to_port(const std::vector<std::vector<std::uint8_t>>& log,
                                               std::uint16_t port) {
  std::vector<std::vector<std::uint8_t>> out;
  for (const auto& f : log) {
    const roce::ParsedFrame p = roce::parse_frame(ByteSpan(f));
    if (p.kind == roce::FrameKind::kUdp && p.source_ip == BusFixture::identity(1).ip && p.dest_port == port)
      out.push_back(f);
  }
  return out;
}

}  // namespace

TEST_CASE("a complete life cycle: create, a burst of 1,000, destroy, and again with another QPN", "[bus]") {
  const BusFixture::HostQp first{};
  const BusFixture::HostQp second{.qpn = 0x12, .board_qpn = 0x222222, .psn = 0xfffff0};
  BusFixture w({.host_qps = {first, second}});
  CHECK_FALSE(w.observe({0}).qps[0].exists);
  w.connect(0, first);
  CHECK(w.observe({0}).qps[0].exists);
  CHECK(w.observe({0}).qps[0].next_psn == 0x654321);
  w.apply(w.burst(1000, 4096, 256));
  CHECK(w.observe().requests_waiting > 900);
  REQUIRE(w.completions(1000));
  CHECK(w.ok() == 1000);
  CHECK(w.failed() == 0);
  CHECK(w.observe().requests_waiting == 0);
  CHECK(w.observe({0}).qps[0].next_psn == 0x654321 + 1000);
  const roce::ReceiveQp& q = w.hosts[0]->qp(0);
  CHECK(q.responder().counters().messages == 1000);
  CHECK(q.responder().counters().immediates == 1000);
  CHECK(q.continuity().checked() == 4'096'000);
  CHECK(q.bytes_wrong() == 0);
  CHECK(w.hosts[0]->written_end(0) == BusFixture::kRegion + 256 * 4096);

  w.destroy(0, first);
  CHECK_FALSE(w.observe({0}).qps[0].exists);
  CHECK(w.ok() == 1000);
  w.connect(0, second);
  w.apply(w.burst(100, 100, 256, 0x12));
  REQUIRE(w.completions(1100));
  CHECK(w.ok() == 1100);
  CHECK(w.hosts[0]->qp(1).responder().counters().messages == 100);
  // The first burst ended at slot 231 of the ring (1,000 mod 256 = 232). The second burst writes slots 232 to
  // 255 and then 0 to 75, so it does not change slot 231.
  CHECK(w.memory[1][232 * 100 - 1] == 0xee);
  CHECK(w.memory[1][232 * 100] == 0);
  CHECK(w.hosts[0]->written_end(1) == BusFixture::kRegion + 256 * 100);
  EndpointSnapshot s = make_snapshot(*w.board);
  REQUIRE(take_snapshot(*w.board, s, 0, 8, w.wire->now) == 1);
  CHECK(s.send_qps[0].on_bus);
  CHECK(s.send_qps[0].exists);
  CHECK(s.send_qps[0].qpn == 0x222222);
  CHECK(s.send_qps[0].dest_qpn == 0x12);
  CHECK(s.send_qps[0].requester.messages_completed == 1100);
  CHECK(s.send_qps[0].requester.payload_bytes == 4'106'000);
  CHECK(s.send_qps[0].completed_payload_bytes == 4'106'000);
  CHECK(s.send_qps[0].messages_made == 1100);
  CHECK_FALSE(s.send_qps[0].uc);
  // The first completions occur long before the last ones.
  CHECK(s.send_qps[0].first_completed >= s.send_qps[0].counters.first_sent);
  CHECK(s.send_qps[0].first_completed < s.send_qps[0].counters.last_completed);
  CHECK(s.send_qps[0].first_completed_bytes % 4096 == 0);
  CHECK(s.send_qps[0].first_completed_bytes > 0);
  CHECK(s.send_qps[0].first_completed_bytes < 256 * 4096);
}

TEST_CASE("the byte counter continues over bursts of odd lengths and over queue pairs", "[bus]") {
  const BusFixture::HostQp second{.qpn = 0x12, .board_qpn = 0x222222};
  BusFixture w({.host_qps = {BusFixture::HostQp{}, second}});
  w.connect(0);
  w.apply(w.burst(7, 1001, 8));
  REQUIRE(w.completions(7));
  w.apply(w.burst(3, 5000, 8));
  REQUIRE(w.completions(10));
  w.apply(w.burst(4, 0, 8));  // messages of length zero are valid
  REQUIRE(w.completions(14));
  CHECK(w.ok() == 14);
  const auto& c = w.hosts[0]->qp(0).continuity();
  CHECK(c.checked() == 22'007);
  CHECK(c.breaks() == 0);
  w.destroy(0);
  w.connect(0, second);
  w.apply(w.burst(1, 64, 0, 0x12));
  REQUIRE(w.completions(15));
  CHECK(w.memory[1][14 % 8 * 64] == 22'007 % 256);  // the ring has size zero, so the current slot is used
}

TEST_CASE("retransmissions carry the same bytes", "[bus]") {
  BusFixture w({});
  w.wire->loss = (1ULL << 32) / 20;
  w.connect(0);
  w.apply(w.burst(500, 9000, 16));
  REQUIRE(w.completions(500, 100 * kSecond));
  CHECK(w.ok() == 500);
  CHECK(w.board->qp(0).requester().counters().retransmitted_packets > 0);
  CHECK(w.hosts[0]->qp(0).continuity().checked() == 4'500'000);
  CHECK(w.hosts[0]->qp(0).bytes_wrong() == 0);
}

TEST_CASE("a RemAddr change between bursts restarts the ring", "[bus]") {
  BusFixture w({});
  w.connect(0);
  w.apply(w.burst(3, 64, 8));
  REQUIRE(w.completions(3));
  auto other = w.burst(1, 64, 8);
  other.remote_address += 0x8000;
  w.apply(other);
  REQUIRE(w.completions(4));
  CHECK(w.hosts[0]->written_end(0) == BusFixture::kRegion + 0x8000 + 64);
  w.apply(w.burst(1, 64, 8));
  REQUIRE(w.completions(5));
  CHECK(w.memory[0][0] == (4 * 64) % 256);
}

TEST_CASE("requests wait for RTS, in SQD, and for a destination", "[bus]") {
  BusFixture w({.destination = false});
  w.set(0, QpState::kCreate);
  w.set(0, QpState::kInit);
  w.set(0, QpState::kRtr);
  w.apply(w.burst(10, 100));
  w.run_for(kSecond);
  CHECK(w.observe().requests_waiting == 10);
  w.set(0, QpState::kRts);
  w.run_for(5 * kSecond);
  CHECK(w.board->totals(0).packets == 0);
  CHECK_FALSE(w.observe({0}).qps[0].failed);
  CHECK(w.board->host().counters().arp_requests_tx == 0);
  w.apply(board::SetDestination{BusFixture::host_ip(0)});
  REQUIRE(w.completions(10));
  CHECK(w.ok() == 10);
  w.set(0, QpState::kSqd);
  w.apply(w.burst(5, 100));
  w.run_for(kSecond);
  CHECK(w.ok() == 10);
  w.set(0, QpState::kRts);
  REQUIRE(w.completions(15));
  CHECK(w.ok() == 15);
}

TEST_CASE("ERR: outstanding and waiting requests complete as flushed, even 16 M of them", "[bus]") {
  BusFixture w({});
  w.connect(0);
  w.wire->loss = 1ULL << 32;
  w.board->host().neighbours().set_static(BusFixture::host_ip(0), BusFixture::identity(101).mac);
  w.apply(w.burst(100, 4096));
  w.run_for(100 * kMicrosecond);
  CHECK(w.ok() + w.failed() == 0);
  w.set(0, QpState::kErr);
  CHECK(w.failed() == 100);
  CHECK(w.observe({0}).qps[0].failed);
  w.apply(w.burst(0xffffff, 4096));
  CHECK(w.failed() == 100 + 0xffffff);
  CHECK(w.observe().requests_waiting == 0);
  w.set(0, QpState::kReset);
  w.apply(w.burst(3, 4096));  // fails, because no queue pair exists
  CHECK(w.failed() == 103 + 0xffffff);
}

TEST_CASE("a fatal NAK fails the queue pair, and a new one works", "[bus]") {
  const BusFixture::HostQp second{.qpn = 0x12, .board_qpn = 0x222222};
  BusFixture w({.host_qps = {BusFixture::HostQp{}, second}});
  w.connect(0);
  auto wrong = w.burst(1000, 100);
  wrong.rkey ^= 1;
  w.apply(wrong);
  REQUIRE(w.completions(1000));
  CHECK(w.ok() == 0);
  CHECK(w.failed() == 1000);
  CHECK(w.observe({0}).qps[0].failed);
  w.apply(board::SetCompletionReset{true});
  w.destroy(0);
  w.connect(0, second);
  CHECK_FALSE(w.observe({0}).qps[0].failed);
  w.apply(board::SetCompletionReset{false});
  w.apply(w.burst(10, 100, 1, 0x12));
  REQUIRE(w.completions(10));
  CHECK(w.ok() == 10);
  CHECK(w.hosts[0]->qp(1).bytes_wrong() == 0);
}

TEST_CASE("a message that is too long is a local error", "[bus]") {
  BusFixture w({});
  w.connect(0);
  w.apply(w.burst(5, 0x8000'0001));
  REQUIRE(w.completions(5));
  CHECK(w.failed() == 5);
  CHECK(w.board->qp(0).failure() == roce::WcStatus::kLocalOperationError);
  CHECK(w.board->totals(0).packets == 0);
}

TEST_CASE("a burst goes to the QP of SQpn, else to the one with that peer QPN, else to the only one",
          "[bus]") {
  const BusFixture::HostQp a{.qpn = 0x11, .board_qpn = 0x100001};
  const BusFixture::HostQp b{.qpn = 0x12, .board_qpn = 0x100002};
  BusFixture w({.slots = 2, .host_qps = {a, b}});
  w.connect(0, a);
  w.apply(w.burst(1, 64, 1, 0x999));
  REQUIRE(w.completions(1));
  CHECK(w.ok() == 1);
  w.connect(1, b);
  w.apply(w.burst(10, 64, 1, 0x100002));
  REQUIRE(w.completions(11));
  w.apply(w.burst(20, 64, 1, 0x12));
  REQUIRE(w.completions(31));
  w.apply(w.burst(40, 64, 1, 0x11));
  REQUIRE(w.completions(71));
  CHECK(w.ok() == 71);
  CHECK(w.hosts[0]->qp(0).responder().counters().messages == 41);
  CHECK(w.hosts[0]->qp(1).responder().counters().messages == 30);
  // The counter pattern continues separately for each queue pair.
  CHECK(w.hosts[0]->qp(0).bytes_wrong() == 0);
  CHECK(w.hosts[0]->qp(1).bytes_wrong() == 0);
  w.apply(w.burst(2, 64, 1, 0x999));
  CHECK(w.failed() == 2);
}

TEST_CASE("a UC queue pair completes what it has sent", "[bus]") {
  const BusFixture::HostQp uc{.transport = roce::Transport::kUc, .pmtu = 1024};
  BusFixture w({.host_qps = {uc}});
  w.connect(0, uc);
  w.apply(w.burst(50, 3000, 4));
  REQUIRE(w.completions(50));
  w.run_for(kMillisecond);
  CHECK(w.ok() == 50);
  CHECK(w.hosts[0]->qp(0).responder().counters().messages == 50);
  CHECK(w.hosts[0]->qp(0).responder().counters().completed_bytes == 150'000);
  CHECK(w.hosts[0]->qp(0).bytes_wrong() == 0);
  EndpointSnapshot sent = make_snapshot(*w.board), received = make_snapshot(*w.hosts[0]);
  take_snapshot(*w.board, sent, 0, 8, w.wire->now);
  take_snapshot(*w.hosts[0], received, 0, 8, w.wire->now);
  CHECK(sent.send_qps[0].uc);
  CHECK(received.receive_qps[0].last_uc_message > sent.send_qps[0].first_completed);
  CHECK(received.receive_qps[0].last_uc_message < w.wire->now);
}

TEST_CASE("another destination during a burst: another peer, the same queue pair", "[bus]") {
  BusFixture w({.host_qps = {BusFixture::HostQp{}, BusFixture::HostQp{.host = 1}}});
  w.wire->keep_log = true;
  w.connect(0);
  w.apply(w.burst(4, 256));
  REQUIRE(w.completions(4));
  w.apply(board::SetDestination{});
  w.apply(w.burst(4, 256));
  w.run_for(100 * kMillisecond);
  CHECK(w.ok() == 4);
  CHECK(w.hosts[0]->qp(0).responder().counters().messages == 4);
  // The host does not exist. The board requests its address once a second and never gives up.
  w.apply(board::SetDestination{BusFixture::identity(200).ip});
  w.run_for(30 * kSecond);
  CHECK(w.board->unresolved() == 1);
  CHECK(w.board->host().counters().arp_requests_tx >= 30);
  CHECK(w.board->host().counters().arp_requests_tx <= 32);
  CHECK_FALSE(w.observe({0}).qps[0].failed);
  CHECK(w.ok() + w.failed() == 4);
  // The board now sends to host 1. The first PSN that host 1 receives is the one after the four messages.
  // Host 1 expects a different PSN, so it reports a sequence error.
  w.apply(board::SetDestination{BusFixture::host_ip(1)});
  REQUIRE(w.wire->run(w.wire->now + kSecond,
                      [&] { return w.hosts[1]->qp(0).responder().counters().packets != 0; }));
  CHECK(w.board->unresolved() == 0);
  CHECK(w.hosts[0]->qp(0).responder().counters().packets == 4);
}

TEST_CASE("UDP ports: hashed source, destination from the register", "[bus]") {
  BusFixture w({});
  w.wire->keep_log = true;
  w.connect(0);
  w.apply(w.burst(1, 64));
  REQUIRE(w.completions(1));
  const auto sent = to_port(w.wire->log, 4791);
  REQUIRE(sent.size() == 1);
  CHECK(load_be16(&sent[0][34]) == roce::hashed_source_port(0x128aeb, 0x11));
  w.apply(board::SetDestination{BusFixture::host_ip(0), 4800});
  w.apply(w.burst(1, 64));
  w.run_for(10 * kMicrosecond);
  CHECK(to_port(w.wire->log, 4800).size() == 1);
  w.apply(board::SetDestination{BusFixture::host_ip(0), 4791});
  REQUIRE(w.completions(2));
  CHECK(w.ok() == 2);
}

TEST_CASE("parameter changes during a burst are visible, immediate, and outlive the queue pair", "[bus]") {
  BusFixture w({});
  w.connect(0);
  // The burst is longer than the test, so that only congestion control limits the rate.
  w.apply(w.burst(100'000, 9000, 16));
  w.run_for(2 * kMillisecond);
  const auto sent = [&] { return w.board->qp(0).counters().counted_bytes; };
  const auto live = [&] { return w.observe({0}).qps[0]; };
  CHECK(live().rc == 1'250'000'000);
  CHECK(live().alpha >= 1023);
  dcqcn::FirmwareParameters p;
  p.rmin = 400'000'000;
  w.apply(board::SetDcqcn{0, p});
  // The first CNP cuts the rate to Rmin.
  const test::Bytes cnp = test::cnp(test::path(w.hosts[0]->identity(), w.board->identity()), 0x128aeb);
  p.dec_gain = 0;  // a CNP reduces Rc by Rc · alpha, but not below Rmin
  p.rate_inc_interval = UINT32_MAX;
  w.apply(board::SetDcqcn{0, p});
  w.wire->inject(cnp);
  w.run_for(10 * kMicrosecond);
  CHECK(live().cnp_counter == 1);
  CHECK(live().rc == 400'000'000);
  CHECK(live().rt == 1'250'000'000);
  w.run_for(5 * kMillisecond);  // uses up the 1 MiB of credit in the bucket
  const std::uint64_t before = sent();
  w.run_for(5 * kMillisecond);
  CHECK(static_cast<double>(sent() - before) == Approx(400e6 * 0.005).epsilon(0.01));
  w.apply(board::SetCnpCounterReset{0, true});
  w.run_for(kMicrosecond);
  CHECK(live().cnp_counter == 0);
  w.destroy(0);
  CHECK(live().rc == 400'000'000);
  CHECK_FALSE(live().exists);
  p.dcqcn_bypass = true;
  w.apply(board::SetDcqcn{0, p});
  w.run_for(kMicrosecond);
  CHECK(live().rc == 1'250'000'000);
}

TEST_CASE("configured and bus queue pairs share the board; a configured QPN stays reserved", "[bus]") {
  SendQpConfig s;
  s.requester.qpn = 0x100;
  s.requester.dest_qpn = 0x801;
  s.requester.initial_psn = 0x654321;
  s.traffic.messages = 200;
  s.traffic.rkey = BusFixture::HostQp{}.rkey;
  s.congestion = dcqcn::FirmwareSettings{};
  s.congestion_group = 7;
  const BusFixture::HostQp configured{.qpn = 0x801, .board_qpn = 0x100};
  BusFixture w({.host_qps = {BusFixture::HostQp{}, configured}, .configured = {s}, .congestion_group = 7});
  CHECK(w.board->qp_count() == 2);
  CHECK(w.board->first_bus_qp() == 1);
  w.board->start(w.wire->now);
  w.connect(0);
  w.apply(w.burst(100, 4096, 16));
  REQUIRE(w.completions(100));
  CHECK_FALSE(w.observe({0}).qps[0].failed);
  REQUIRE(w.wire->run(kSecond, [&] { return w.board->finished(); }));
  CHECK(w.ok() == 100);
  CHECK(w.hosts[0]->qp(1).responder().counters().messages == 200);
  // Both queue pairs share one congestion control object. A write to the registers of either queue pair
  // changes the parameters of this object.
  dcqcn::FirmwareParameters p;
  p.rai = 123;
  w.apply(board::SetDcqcn{0, p});
  CHECK(w.board->qp(0).congestion() == w.board->qp(1).congestion());
  CHECK(dynamic_cast<dcqcn::FirmwareDcqcn&>(*w.board->qp(1).congestion()).reaction_point().parameters() == p);
  // The registers show parameters that set_congestion() has changed. A register write changes only the
  // parameters of the written word.
  p.rmin = 456;
  REQUIRE(w.board->set_congestion(1, dcqcn::FirmwareSettings{.parameters = p}, w.wire->now));
  CHECK(w.observe({0}).qps[0].parameters == p);
  CHECK(w.observe({1}).qps[0].parameters == p);
  w.apply(board::SetDcqcn{.qp = 0, .parameters = {.rhai = 789}, .words = 1U << 2});
  p.rhai = 789;
  CHECK(w.observe({1}).qps[0].parameters == p);

  w.destroy(0);
  w.set(0, QpState::kCreate, configured);
  CHECK(w.observe({1}).qps[0].failed);
  w.set(0, QpState::kReset);
  CHECK(w.board->qp_exists(0));
  w.connect(0);  // succeeds, because the QPN of the destroyed QP is free again
  CHECK_FALSE(w.observe({1}).qps[0].failed);
}

TEST_CASE("a path MTU that the port does not support is an error", "[bus]") {
  BusFixture w({.largest_pmtu = 1024});
  w.connect(0);
  CHECK(w.observe({0}).qps[0].failed);
  w.apply(w.burst(3, 64));
  CHECK(w.failed() == 3);
}

TEST_CASE("SoftReset: removes everything on the bus and leaves nothing behind", "[bus]") {
  BusFixture w({.slots = 2});
  w.connect(0);
  w.apply(w.burst(1000, 4096, 16));
  w.run_for(50 * kMicrosecond);
  w.apply(board::SoftReset{});
  const auto s = w.observe({0, 1, 7});
  CHECK(s.requests_waiting == 0);
  for (const auto& qp : s.qps) CHECK_FALSE(qp.exists);
  const std::uint64_t ok = w.ok();
  w.run_for(10 * kMillisecond);
  CHECK(w.ok() == ok);
  CHECK(w.failed() == 0);
  CHECK(w.board->counters().rx_unknown_qp > 0);  // ACKs of packets in flight arrive after the reset
  w.board->stop_traffic(w.wire->now);
  CHECK(w.board->finished());
}

TEST_CASE("after stop_traffic, outstanding requests drain and waiting ones are dropped", "[bus]") {
  BusFixture w({});
  w.board->start(w.wire->now);
  w.connect(0);
  CHECK(w.board->finished());
  w.apply(w.burst(100'000, 4096, 16));
  w.run_for(100 * kMicrosecond);
  CHECK(w.board->finished());  // requests from the bus do not keep a run going
  w.board->stop_traffic(w.wire->now);
  CHECK_FALSE(w.board->finished());
  CHECK(w.observe().requests_waiting == 0);
  REQUIRE(w.wire->run(kSecond, [&] { return w.board->finished(); }));
  CHECK(w.failed() == 0);
  CHECK(w.ok() > 10);
  CHECK(w.ok() < 1000);
  w.apply(w.burst(10, 64));
  CHECK(w.board->finished());
}
