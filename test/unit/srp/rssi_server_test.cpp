// SPDX-License-Identifier: BSD-3-Clause
// Tests how connections to a server start and end.
#include "hex.hpp"
#include "rssi_bench.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::srp::rssi;
using namespace softfeb::test;

namespace {

const UdpPeer kOther = udp_peer("192.168.2.101", 50'000);

}  // namespace

TEST_CASE("a SYN is answered with the client's values, with window and segment size limited",
          "[rssi][server]") {
  ServerBench b;
  b.hear(hex("80186400 1c20 05b8 0014 0005 03e8 0f02 0003 78000000 6f08"));
  const auto answer = b.next();
  REQUIRE(answer);
  CHECK(b.last->to == kClient);
  CHECK(answer->header == Header{kSynAck, 0x80, 100});
  CHECK(answer->syn->parameters == RssiParameters{16, 1024, 20, 5, 1000, 15, 2});
  CHECK(answer->syn->version == 1);
  CHECK(answer->syn->checksum);
  CHECK(answer->syn->timeout_unit == 3);
  CHECK(b.server.status().state == RssiState::kWaitAck);
  CHECK(!b.server.open());

  b.hear(segment(kAck, 101, 0x80));
  CHECK(b.server.open());
  CHECK(b.user.opened == 1);
  CHECK(b.server.max_payload() == 1016);
  CHECK(b.server.status().negotiated == RssiParameters{16, 1024, 20, 5, 1000, 15, 2});
  CHECK(b.out.sent.empty());
}

TEST_CASE("the client's ACK gives its first number, whichever SYN was received", "[rssi][server]") {
  ServerBench b;
  b.hear(syn(kSyn, 100, 0, kRogue));
  b.hear(segment(kAck, 104, 0x80));
  REQUIRE(b.server.open());
  b.hear(segment(kAck, 104, 0x80, Bytes{1, 2, 3}));
  CHECK(b.user.segments == std::vector<Bytes>{{1, 2, 3}});
}

TEST_CASE("data opens a connection only if nothing can have been lost before", "[rssi][server]") {
  ServerBench b;
  b.hear(syn(kSyn, 100, 0, kRogue));
  b.hear(segment(kAck, 102, 0x80, Bytes{2}));
  CHECK(!b.server.open());
  b.hear(segment(kAck, 101, 0x80, Bytes{1}));
  REQUIRE(b.server.open());
  b.hear(segment(kAck, 102, 0x80, Bytes{2}));
  CHECK(b.user.segments == std::vector<Bytes>{{1}, {2}});
}

TEST_CASE("an ACK with another number does not open", "[rssi][server]") {
  ServerBench b;
  b.hear(segment(kAck, 101, 0x80));
  CHECK(!b.server.open());
  b.hear(syn(kSyn, 100, 0, kRogue));
  b.hear(segment(kAck, 101, 0x7f));
  b.hear(segment(kBusy, 101, 0x80));
  b.hear(segment(kAck, 101, 0x80), kOther);
  CHECK(!b.server.open());
}

TEST_CASE("the SYN-ACK is repeated every 50 ms, sixteen times in total, and never after the ACK",
          "[rssi][server]") {
  ServerBench b;
  b.hear(syn(kSyn, 100, 0, kRogue));
  const Bytes first = b.out.take()->bytes;
  SECTION("no client") {
    b.pass(50 * kMillisecond - 1);
    CHECK(b.out.sent.empty());
    b.pass(10 * kSecond);
    CHECK(b.out.sent.size() == 15);
    for (const auto& s : b.out.sent) CHECK(s.bytes == first);
    CHECK(b.server.status().state == RssiState::kListen);
    CHECK(b.server.deadline() == kNever);
  }
  SECTION("answered") {
    b.pass(60 * kMillisecond);
    CHECK(b.out.take()->bytes == first);
    b.hear(segment(kAck, 101, 0x80));
    b.pass(900 * kMillisecond);
    CHECK(b.out.sent.empty());
  }
  SECTION("the client's next SYN, with the next number") {
    b.hear(syn(kSyn, 101, 0, kRogue));
    CHECK(b.header() == Header{kSynAck, 0x80, 101});
  }
  SECTION("RST") {
    b.hear(segment(kRst, 101, 0));
    CHECK(b.server.status().state == RssiState::kListen);
    b.pass(kSecond);
    CHECK(b.out.sent.empty());
  }
}

TEST_CASE("a listening server responds only to a SYN", "[rssi][server]") {
  ServerBench b;
  for (const std::uint8_t flags : {kAck, kRst, kNul, kBusy}) b.hear(segment(flags, 1, 2));
  b.hear(segment(kAck, 1, 2, Bytes(100)));
  b.hear(syn(kSynAck, 100, 100, kRogue));
  b.hear(Bytes(24));
  b.hear({});
  CHECK(b.out.sent.empty());
  CHECK(b.server.status().dropped == 8);
  CHECK(b.server.status().state == RssiState::kListen);
}

TEST_CASE("invalid SYNs are not answered; extreme values are clamped", "[rssi][server]") {
  ServerBench b;
  b.hear(syn(kSyn, 100, 0, {0, 1464, 20, 5, 1000, 15, 2}));
  b.hear(syn(kSyn, 100, 0, {32, 31, 20, 5, 1000, 15, 2}));
  const auto version2 = encode_syn({kSyn, 100, 0}, {.parameters = kRogue, .version = 2});
  b.hear(Bytes(version2.begin(), version2.end()));
  CHECK(b.out.sent.empty());

  b.hear(syn(kSyn, 100, 0, {255, 65535, 0, 0, 0, 0, 0}));
  CHECK(b.next()->syn->parameters == RssiParameters{16, 1024, 5, 1, 30, 2, 1});
  b.hear(syn(kSyn, 100, 0, {255, 65535, 65535, 65535, 65535, 255, 255}));
  CHECK(b.next()->syn->parameters == RssiParameters{16, 1024, 10'000, 1000, 65535, 255, 16});
}

TEST_CASE("changed local values apply to the next connection", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.server.set_local({4, 256, 50, 25, 200, 16, 3});
  CHECK(b.server.max_payload() == 1016);
  b.hear(segment(kRst, 101, 0x80));
  b.out.sent.clear();
  b.hear(syn(kSyn, 200, 0, kRogue));
  CHECK(b.next()->syn->parameters == RssiParameters{4, 256, 20, 5, 1000, 15, 2});
  CHECK(b.server.local().retransmit_ms == 50);
  // A register may contain any value. The values that the server offers stay within the limits.
  b.server.set_local({255, 65535, 0, 0, 0, 0, 0});
  b.hear(syn(kSyn, 201, 0, {255, 65535, 20, 5, 1000, 15, 2}));
  CHECK(b.next()->syn->parameters == RssiParameters{64, 8192, 20, 5, 1000, 15, 2});
  b.server.set_local({0, 0, 0, 0, 0, 0, 0});
  b.hear(syn(kSyn, 202, 0, kRogue));
  CHECK(b.next()->syn->parameters == RssiParameters{1, 32, 20, 5, 1000, 15, 1});
}

TEST_CASE("RST ends a connection and is answered", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.hear(segment(kRst, 101, 0x80));
  CHECK(b.header() == Header{kRst, 0x81, 100});
  CHECK(!b.server.open());
  CHECK(b.user.why == RssiClose::kByPeer);
  CHECK(b.server.status().state == RssiState::kListen);
  b.hear(segment(kRst, 101, 0x80));
  CHECK(b.out.sent.empty());
}

TEST_CASE("close() tells the peer", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.server.close(b.now);
  CHECK(b.header() == Header{kRst, 0x81, 100});
  CHECK(b.user.why == RssiClose::kByUs);
  CHECK(b.server.deadline() == kNever);
  b.server.close(b.now);
  CHECK(b.user.closed == 1);
}

TEST_CASE("a client that disappears is given up after the null timeout", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.pass(999 * kMillisecond);
  CHECK(b.server.open());
  b.hear(segment(kNul | kAck, 101, 0x80));
  CHECK(b.header() == Header{kAck, 0x81, 101});
  b.pass(999 * kMillisecond);
  CHECK(b.out.sent.empty());
  b.pass(kMillisecond);
  CHECK(b.header() == Header{kRst, 0x81, 101});
  CHECK(b.user.why == RssiClose::kTimeout);
}

TEST_CASE("the same client reconnects without closing", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.pass(100 * kMillisecond);
  b.hear(syn(kSyn, 100, 0, kRogue));
  // The server sends a NUL, to which a client with an open connection responds.
  CHECK(b.header() == Header{kNul | kAck, 0x81, 100});
  SECTION("it has no connection") {
    b.pass(100 * kMillisecond);
    b.out.sent.clear();
    b.hear(syn(kSyn, 101, 0, kRogue));
    CHECK(b.header() == Header{kSynAck, 0x80, 101});
    CHECK(b.user.why == RssiClose::kRestarted);
    b.hear(segment(kAck, 102, 0x80));
    CHECK(b.user.opened == 2);
  }
  SECTION("it was a late copy of the first SYN") {
    b.hear(syn(kSyn, 100, 0, kRogue));
    b.pass(5 * kMillisecond);
    b.hear(segment(kAck, 101, 0x81));
    b.pass(100 * kMillisecond);
    b.hear(syn(kSyn, 100, 0, kRogue));  // another late copy of the SYN
    for (const auto& s : b.out.sent) CHECK((s.bytes[0] & kSyn) == 0);
    CHECK(b.server.open());
    CHECK(b.user.closed == 0);
  }
}

TEST_CASE("another client replaces the first after proving its address", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.pass(500 * kMillisecond);
  b.hear(segment(kAck, 101, 0x80));
  b.hear(syn(kSyn, 7, 0, kRogue), kOther);
  CHECK(b.out.sent.empty());  // the SYN is refused, because the first client has just proved that it is alive
  CHECK(b.server.status().refused == 1);
  b.pass(500 * kMillisecond);

  b.hear(syn(kSyn, 8, 0, kRogue), kOther);
  const auto answer = b.next();
  REQUIRE(answer);
  CHECK(b.last->to == kOther);
  CHECK(answer->header.flags == kSynAck);
  const std::uint8_t number = answer->header.sequence;
  CHECK(number != 0x80);  // a random number, because other hosts could guess the default number
  // The old connection continues until the ACK arrives.
  b.hear(segment(kAck, 101, 0x80, Bytes{5}));
  CHECK(b.user.segments.size() == 1);
  // An ACK with a guessed number does not end the connection.
  b.hear(segment(kAck, 9, static_cast<std::uint8_t>(number + 1)), kOther);
  CHECK(b.user.closed == 0);

  b.out.sent.clear();
  b.hear(segment(kAck, 9, number), kOther);
  CHECK(b.user.why == RssiClose::kReplaced);
  CHECK(b.user.opened == 2);
  CHECK(b.server.status().peer == kOther);
  CHECK(b.header()->flags == kRst);
  CHECK(b.last->to == kClient);
  // The server no longer accepts segments from the first client.
  const std::size_t delivered = b.user.segments.size();
  b.hear(segment(kAck, 102, 0x80, Bytes{6}));
  CHECK(b.user.segments.size() == delivered);
}

TEST_CASE("a silent client is replaced at once", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.pass(600 * kMillisecond);
  b.hear(syn(kSyn, 7, 0, kRogue), kOther);
  CHECK(b.header()->flags == kSynAck);
}

TEST_CASE("a flood of forged SYNs does not affect a connection", "[rssi][server]") {
  ServerBench b;
  b.connect();
  b.pass(900 * kMillisecond);
  b.hear(segment(kNul | kAck, 101, 0x80));
  b.out.sent.clear();
  Rng rng(7);
  std::size_t answers = 0;
  for (int ms = 0; ms < 10'000; ++ms) {
    for (int k = 0; k < 100; ++k) {
      const UdpPeer from{kOther.ip.plus(static_cast<std::uint32_t>(rng.below(1'000'000))),
                         static_cast<std::uint16_t>(rng.next())};
      b.hear(syn(kSyn, static_cast<std::uint8_t>(rng.next()), 0, kRogue), from);
    }
    b.pass(kMillisecond);
    if (ms % 300 == 0) b.hear(segment(kAck, 102, 0x80));
    answers += b.out.sent.size();
    b.out.sent.clear();
  }
  CHECK(b.server.open());
  CHECK(b.user.closed == 0);
  CHECK(b.server.status().peer == kClient);
  CHECK(answers < 10 * 100 + 20 + 10 * 20);  // 100 SYNs/s in 10 s, a burst of 20, and repeated SYN-ACKs
  b.hear(segment(kAck, 102, 0x80, Bytes{5}));
  CHECK(b.user.segments.size() == 1);
}

TEST_CASE("forged SYNs from the client's address do not end its live connection", "[rssi][server]") {
  ServerBench b;
  b.connect();
  std::uint8_t next = 101;
  std::uint8_t seen = 0x80;
  for (int ms = 0; ms < 5'000; ++ms) {
    for (int k = 0; k < 10; ++k) b.hear(syn(kSyn, static_cast<std::uint8_t>(ms), 0, kRogue));
    b.pass(kMillisecond);
    // The client only responds to probes, within 5 ms.
    bool asked = false;
    while (const auto s = b.next()) {
      REQUIRE(!s->syn);
      if (s->has(kNul)) seen = s->header.sequence, asked = true;
    }
    if (asked) b.hear(segment(kAck, next, seen));
    if (ms % 333 == 0) b.hear(segment(kNul | kAck, next++, seen));
  }
  CHECK(b.user.closed == 0);
}

TEST_CASE("SYNs are answered at a bounded rate, also from one client", "[rssi][server]") {
  ServerBench b;
  for (int ms = 0; ms < 1000; ++ms) {
    b.hear(syn(kSyn, 1, 0, kRogue));
    b.hear(syn(kSyn, 2, 0, kRogue));
    b.pass(kMillisecond);
  }
  CHECK(b.out.sent.size() >= 100);
  CHECK(b.out.sent.size() <= 120);
  CHECK(b.server.status().refused >= 1880);
}

TEST_CASE("a flood of SYNs neither exhausts nor silences a listening server", "[rssi][server]") {
  ServerBench b;
  Rng rng(3);
  std::size_t answers = 0;
  for (int ms = 0; ms < 1000; ++ms) {
    for (int k = 0; k < 100; ++k)
      b.hear(syn(kSyn, 1, 0, kRogue), {kOther.ip.plus(static_cast<std::uint32_t>(rng.next())), 1});
    b.pass(kMillisecond);
    answers += b.out.sent.size();
    b.out.sent.clear();
  }
  CHECK(answers < 50);
  b.pass(kSecond);
  b.out.sent.clear();
  b.connect();
  CHECK(b.server.open());
}
