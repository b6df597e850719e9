// SPDX-License-Identifier: BSD-3-Clause
// Tests the rules of an open connection, one by one.
#include "rssi_bench.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::srp::rssi;
using namespace softfeb::test;

namespace {

Bytes data(std::uint8_t sequence, std::uint8_t acknowledge = 0x80, std::uint8_t flags = kAck) {
  return segment(flags, sequence, acknowledge, Bytes{sequence});
}

/// Parameters with which the server may wait for 16 segments before it sends an ACK.
constexpr RssiParameters kLateAcks{32, 1464, 20, 5, 1000, 15, 16};

}  // namespace

TEST_CASE("one segment is acknowledged after a delay, two at once", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  b.hear(data(101));
  CHECK(b.out.sent.empty());
  b.pass(5 * kMillisecond - 1);
  CHECK(b.out.sent.empty());
  b.pass(1);
  CHECK(b.header() == Header{kAck, 0x81, 101});
  b.hear(data(102));
  b.hear(data(103));
  CHECK(b.header() == Header{kAck, 0x81, 103});
  b.pass(20 * kMillisecond);
  CHECK(b.out.sent.empty());
}

TEST_CASE("data carries the acknowledgement, also of the segment it answers", "[rssi][flow]") {
  struct Echo : Recorder {
    bool on_segment(ByteSpan payload, Time now) override {
      Recorder::on_segment(payload, now);
      return link->send(payload, now);
    }
    RssiLink* link = nullptr;
  } user;
  Bench b;
  RssiServer server({}, b.out, user);
  user.link = &server;
  server.on_datagram(kClient, syn(kSyn, 100, 0, kRogue), b.now);
  server.on_datagram(kClient, segment(kAck, 101, 0x80), b.now);
  b.out.sent.clear();
  server.on_datagram(kClient, data(101), b.now);
  CHECK(b.header() == Header{kAck, 0x81, 101});
  CHECK(server.deadline() == b.now + 20 * kMillisecond);  // the deadline of the retransmission; no ACK is due
}

TEST_CASE("a NUL is acknowledged at once", "[rssi][flow]") {
  ServerBench b;
  b.connect(kLateAcks);
  b.hear(segment(kNul | kAck, 101, 0x80));
  CHECK(b.header() == Header{kAck, 0x81, 101});
  CHECK(b.user.segments.empty());
}

TEST_CASE("known segments are acknowledged again, impossible ones are not", "[rssi][flow]") {
  ServerBench b;
  b.connect(kLateAcks);
  b.hear(data(101));
  b.hear(data(101));
  CHECK(b.header() == Header{kAck, 0x81, 101});
  b.hear(data(200));
  CHECK(b.out.sent.empty());
  CHECK(b.user.segments.size() == 1);
  CHECK(b.server.status().dropped == 2);
}

TEST_CASE("out-of-order segments wait, are delivered in order, and not acknowledged before", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  b.hear(data(103));
  b.hear(data(102));
  b.hear(data(103));
  b.pass(10 * kMillisecond);
  CHECK(b.out.sent.empty());
  CHECK(b.user.segments.empty());
  b.hear(data(101));
  CHECK(b.user.segments == std::vector<Bytes>{{101}, {102}, {103}});
  CHECK(b.header() == Header{kAck, 0x81, 103});
}

TEST_CASE("a window limits segments in flight; the rest waits, up to a limit", "[rssi][flow]") {
  ServerBench b({.tx_queue = 4});
  b.connect();
  CHECK(b.server.room() == 20);
  std::uint8_t sent = 0;
  while (b.server.send(Bytes{++sent}, b.now)) {
  }
  CHECK(sent == 21);
  CHECK(b.out.sent.size() == 16);
  CHECK(b.server.room() == 0);
  b.hear(segment(kAck, 101, 0x82));  // acknowledges two segments
  CHECK(b.out.sent.size() == 18);
  CHECK(b.user.rooms == 1);
  CHECK(b.server.room() == 2);
  for (std::uint8_t i = 1; i <= 18; ++i) {
    const auto s = b.next();
    CHECK(s->header.sequence == 0x80 + i);
    CHECK(s->payload[0] == i);
  }
}

TEST_CASE("acknowledgements of unsent or old numbers free nothing", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  for (std::uint8_t i = 0; i < 4; ++i) REQUIRE(b.server.send(Bytes{i}, b.now));
  b.hear(segment(kAck, 101, 0x85));
  b.hear(segment(kAck, 101, 0x7f));
  b.hear(segment(kAck, 101, 0x00));
  CHECK(b.server.status().tx_last_ack == 0x80);
  b.hear(segment(kAck, 101, 0x84));
  CHECK(b.server.status().tx_last_ack == 0x84);
  b.hear(segment(kAck, 101, 0x82));
  CHECK(b.server.status().tx_last_ack == 0x84);
  b.out.sent.clear();
  b.pass(100 * kMillisecond);
  CHECK(b.out.sent.empty());
}

TEST_CASE("unacknowledged segments are retransmitted with the current acknowledgement", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  REQUIRE(b.server.send(Bytes{9}, b.now));
  b.pass(kMillisecond);
  REQUIRE(b.server.send(Bytes{8}, b.now));
  b.hear(segment(kNul | kAck, 101, 0x80));
  b.out.sent.clear();
  b.pass(19 * kMillisecond);
  CHECK(b.next()->header == Header{kAck, 0x81, 101});
  CHECK(b.last->bytes.back() == 9);
  CHECK(b.out.sent.empty());  // the next segment is not due yet, because each segment has its own timer
  b.pass(kMillisecond);
  CHECK(b.next()->header == Header{kAck, 0x82, 101});
  CHECK(b.server.status().retransmitted == 2);
}

TEST_CASE("a segment sent in vain for half the null timeout ends the connection", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  REQUIRE(b.server.send(Bytes{9}, b.now));
  b.pass(500 * kMillisecond - 1);
  CHECK(b.out.sent.size() == 25);
  CHECK(b.server.open());
  b.pass(1);
  CHECK(b.user.why == RssiClose::kRetransmit);
  CHECK(b.out.sent.back().bytes == segment(kRst, 0x82, 100));
}

TEST_CASE("a BUSY peer gets no retransmissions", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  REQUIRE(b.server.send(Bytes{9}, b.now));
  b.hear(segment(kAck | kBusy, 101, 0x80));
  CHECK(b.server.status().remote_busy);
  b.out.sent.clear();
  b.pass(900 * kMillisecond);
  b.server.on_timer(b.now);  // an additional call has no effect
  CHECK(b.out.sent.empty());
  CHECK(b.server.open());
  REQUIRE(b.server.send(Bytes{8}, b.now));  // new data may be sent to a BUSY peer
  CHECK(b.header()->sequence == 0x82);
  b.hear(segment(kAck, 101, 0x80));
  CHECK(!b.server.status().remote_busy);
  b.server.on_timer(b.now);
  CHECK(b.header()->sequence == 0x81);  // the first segment is overdue and is retransmitted
  CHECK(b.server.status().retransmitted == 1);
}

TEST_CASE("a reordered segment does not make the peer BUSY again", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  REQUIRE(b.server.send(Bytes{9}, b.now));
  b.hear(segment(kAck, 101, 0x81));
  b.hear(segment(kAck | kBusy, 101, 0x80));
  CHECK(!b.server.status().remote_busy);
}

TEST_CASE("a user that refuses data makes us BUSY; nothing is acknowledged or lost", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  b.user.refuse = true;
  b.hear(data(101));
  CHECK(b.header() == Header{kAck | kBusy, 0x81, 100});
  CHECK(b.server.status().local_busy);
  b.hear(segment(kNul | kAck, 102, 0x80));
  b.hear(data(103));
  b.out.sent.clear();
  b.pass(11 * kMillisecond);
  CHECK(b.header() == Header{kAck | kBusy, 0x81, 100});  // BUSY is repeated, because a segment may be lost
  CHECK(b.header() == Header{kAck | kBusy, 0x81, 100});
  REQUIRE(b.server.send(Bytes{1}, b.now));
  CHECK(b.header() == Header{kAck | kBusy, 0x81, 100});

  b.server.resume(b.now);  // the user still refuses the segment
  CHECK(b.server.status().local_busy);
  b.user.refuse = false;
  b.out.sent.clear();
  b.server.resume(b.now);
  CHECK(b.user.segments == std::vector<Bytes>{{101}, {103}});
  CHECK(b.header() == Header{kAck, 0x82, 103});
  CHECK(!b.server.status().local_busy);
  b.hear(segment(kAck, 104, 0x81));
  b.pass(100 * kMillisecond);
  CHECK(b.out.sent.size() == 3);  // one of these segments reports that the server is no longer BUSY
}

TEST_CASE("a refused segment that a response has acknowledged stays acknowledged", "[rssi][flow]") {
  struct Hesitant : Recorder {
    bool on_segment(ByteSpan payload, Time now) override {
      link->send(payload, now);
      return Recorder::on_segment(payload, now);
    }
    RssiLink* link = nullptr;
  } user;
  Bench b;
  RssiServer server({}, b.out, user);
  user.link = &server;
  user.refuse = true;
  server.on_datagram(kClient, syn(kSyn, 100, 0, kRogue), b.now);
  server.on_datagram(kClient, segment(kAck, 101, 0x80), b.now);
  b.out.sent.clear();
  server.on_datagram(kClient, data(101), b.now);
  // The user refuses the segment after sending a response. The response has acknowledged the segment, and an
  // acknowledge number cannot decrease, so the server keeps the segment for the user.
  CHECK(b.header() == Header{kAck, 0x81, 101});
  CHECK(b.header() == Header{kAck | kBusy, 0x82, 101});
  user.refuse = false;
  server.resume(b.now);
  CHECK(user.segments == std::vector<Bytes>{{101}});
  CHECK(server.status().rx_last_seq == 101);
}

TEST_CASE("a BUSY link stores one window and no more", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  b.user.refuse = true;
  for (unsigned i = 0; i < 100; ++i) b.hear(data(static_cast<std::uint8_t>(101 + i)));
  b.user.refuse = false;
  b.server.resume(b.now);
  CHECK(b.user.segments.size() == 16);
}

TEST_CASE("a link may be closed from within every callback", "[rssi][flow]") {
  struct Closer : Recorder {
    void on_open(Time now) override {
      Recorder::on_open(now);
      if (at_open) link->close(now);
    }
    bool on_segment(ByteSpan, Time now) override {
      link->close(now);
      return taken;
    }
    void on_room(Time now) override { link->close(now); }
    RssiLink* link = nullptr;
    bool at_open = false, taken = false;
  } user;
  Bench b;
  RssiServer server({.tx_queue = 1}, b.out, user);
  user.link = &server;
  user.at_open = GENERATE(false, true);
  user.taken = GENERATE(false, true);
  const bool by_room = GENERATE(false, true);
  server.on_datagram(kClient, syn(kSyn, 100, 0, kRogue), b.now);
  server.on_datagram(kClient, segment(kAck, 101, 0x80), b.now);
  while (server.send(Bytes{1}, b.now)) {
  }
  server.on_datagram(kClient, data(102), b.now);
  server.on_datagram(kClient, by_room ? segment(kAck, 101, 0x81) : data(101), b.now);
  CHECK(!server.open());
  CHECK(user.closed == 1);
  CHECK(server.deadline() == kNever);
}

TEST_CASE("an injected fault is one wrong checksum", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  b.server.inject_fault();
  REQUIRE(b.server.send(Bytes{1}, b.now));
  REQUIRE(b.server.send(Bytes{2}, b.now));
  CHECK(!b.next());
  CHECK(b.next());
  b.pass(20 * kMillisecond);
  CHECK(b.next()->payload[0] == 1);
  CHECK(b.server.status().retransmitted == 2);
}

TEST_CASE("segments longer than negotiated are dropped, except for the board's extra word", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  b.hear(segment(kAck, 101, 0x80, Bytes(1025)));
  CHECK(b.user.segments.empty());
  b.hear(segment(kAck, 101, 0x80, Bytes(1024)));
  CHECK(b.user.segments.size() == 1);
}

TEST_CASE("send() refuses invalid data", "[rssi][flow]") {
  ServerBench b;
  CHECK(!b.server.send(Bytes{1}, b.now));
  CHECK(b.server.max_payload() == 0);
  CHECK(b.server.room() == 0);
  b.connect();
  CHECK(!b.server.send({}, b.now));
  CHECK(!b.server.send(Bytes(1017), b.now));
  CHECK(b.server.send(Bytes(1016), b.now));
}

TEST_CASE("the status of a link", "[rssi][flow]") {
  ServerBench b;
  CHECK(firmware_connection_state(b.server.status().state) == 4);
  b.connect();
  const RssiStatus& s = b.server.status();
  CHECK(firmware_connection_state(s.state) == 7);
  CHECK(s.peer == kClient);
  CHECK(s.reconnects == 1);
  REQUIRE(b.server.send(Bytes(10), b.now));
  b.hear(segment(kAck, 101, 0x81, Bytes(20)));
  b.hear(segment(kAck, 103, 0x81, Bytes(20)));
  CHECK(s.tx_segments == 1);
  CHECK(s.tx_bytes == 10);
  CHECK(s.rx_segments == 1);
  CHECK(s.rx_bytes == 20);
  CHECK(s.tx_last_ack == 0x81);
  CHECK(s.rx_seq == 103);
  CHECK(s.rx_ack == 0x81);
  CHECK(s.rx_last_seq == 101);
  CHECK(s.valid == 4);
  CHECK(s.dropped == 0);
}

TEST_CASE("sequence numbers wrap many times", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  std::uint8_t rx = 101, tx = 0x81;
  for (int i = 0; i < 1000; ++i, ++rx, ++tx) {
    REQUIRE(b.server.send(Bytes{tx}, b.now));
    REQUIRE(b.header()->sequence == tx);
    b.hear(data(rx, tx));
    REQUIRE(b.user.segments.size() == static_cast<std::size_t>(i + 1));
  }
  CHECK(b.server.status().retransmitted == 0);
}

TEST_CASE("a client that acknowledges late keeps its connection", "[rssi][flow]") {
  ServerBench b;
  b.connect();
  REQUIRE(b.server.send(Bytes{9}, b.now));
  b.pass(333 * kMillisecond);  // the client's ACK was lost, and the client does not respond to
                               // retransmissions
  b.hear(segment(kNul | kAck, 101, 0x81));
  CHECK(b.server.open());
  b.out.sent.clear();
  b.pass(100 * kMillisecond);
  CHECK(b.out.sent.empty());
}
