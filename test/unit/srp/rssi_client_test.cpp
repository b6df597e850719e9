// SPDX-License-Identifier: BSD-3-Clause
// Tests how a client's connections start and end.
#include "rssi_bench.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::srp::rssi;
using namespace softfeb::test;

TEST_CASE("a client sends SYNs until it gets a response, and acknowledges at once", "[rssi][client]") {
  ClientBench b;
  CHECK(b.client.deadline() == kNever);
  b.client.connect(b.now);
  CHECK(b.client.status().state == RssiState::kSynSent);
  b.pass(250 * kMillisecond);
  REQUIRE(b.out.sent.size() == 3);
  for (int i = 0; i < 3; ++i) {
    const auto s = b.next();
    CHECK(b.last->to == kServer);
    CHECK(s->header == Header{kSyn, 100, 0});
    CHECK(s->syn->parameters == kRogue);
  }
  b.hear(syn(kSynAck, 0x80, 100, {16, 1024, 20, 5, 1000, 15, 2}));
  CHECK(b.header() == Header{kAck, 101, 0x80});
  CHECK(b.client.open());
  CHECK(b.user.opened == 1);
  CHECK(b.client.max_payload() == 1016);
}

TEST_CASE("Rogue's server acknowledges 0", "[rssi][client]") {
  ClientBench b;
  b.client.connect(b.now);
  b.hear(syn(kSynAck, 0x80, 0, kRogue));
  CHECK(b.client.open());
}

TEST_CASE("responses to other SYNs, from other servers, and invalid ones are ignored", "[rssi][client]") {
  ClientBench b;
  b.client.connect(b.now);
  b.hear(syn(kSynAck, 0x80, 99, kRogue));
  b.hear(syn(kSynAck, 0x80, 100, kRogue), kClient);
  b.hear(syn(kSyn, 0x80, 100, kRogue));
  b.hear(syn(kSynAck, 0x80, 100, {0, 1024, 20, 5, 1000, 15, 2}));
  b.hear(syn(kSynAck, 0x80, 100, {16, 8, 20, 5, 1000, 15, 2}));
  b.hear(segment(kRst, 1, 100));
  b.hear(segment(kAck, 0x81, 100, Bytes{1}));
  CHECK(!b.client.open());
  CHECK(b.client.status().dropped == 7);
  CHECK(b.client.status().state == RssiState::kSynSent);
}

TEST_CASE("a server's extreme values are clamped", "[rssi][client]") {
  ClientBench b;
  b.connect({255, 65535, 0, 0, 0, 0, 0});
  REQUIRE(b.client.open());
  CHECK(b.client.status().negotiated == RssiParameters{32, 1464, 5, 1, 30, 2, 1});
}

TEST_CASE("a repeated SYN-ACK is answered with the number the server needs", "[rssi][client]") {
  ClientBench b;
  b.connect();
  REQUIRE(b.client.send(Bytes{1}, b.now));
  REQUIRE(b.client.send(Bytes{2}, b.now));
  b.out.sent.clear();
  b.hear(syn(kSynAck, 0x80, 100, {}));
  CHECK(b.header() == Header{kAck, 101, 0x80});
  b.hear(syn(kSynAck, 0x70, 100, {}));  // ignored, because the server's SYN had sequence number 0x80
  CHECK(b.out.sent.empty());
}

TEST_CASE("an idle client keeps the connection alive", "[rssi][client]") {
  ClientBench b;
  b.connect();
  b.pass(334 * kMillisecond);
  CHECK(b.header() == Header{kNul | kAck, 101, 0x80});
  b.hear(segment(kAck, 0x81, 101));
  b.pass(332 * kMillisecond);
  CHECK(b.out.sent.empty());
  b.pass(kMillisecond);
  CHECK(b.header() == Header{kNul | kAck, 102, 0x80});
}

TEST_CASE("a dead server is detected, and connected again", "[rssi][client]") {
  ClientBench b;
  b.connect();
  const Time began = b.now;
  while (b.user.closed == 0) b.pass(kMillisecond);
  CHECK(b.user.why == RssiClose::kRetransmit);
  // The NUL is due after a third of the null timeout. It is then transmitted 15 times.
  CHECK((b.now - began) / kMillisecond == 634);
  CHECK(b.out.sent.size() == 15 + 1);
  CHECK(b.out.sent.back().bytes[0] == kRst);
  b.out.sent.clear();
  b.pass(100 * kMillisecond);
  CHECK(b.header() == Header{kSyn, 103, 0});  // the NUL had number 101, and the RST 102
}

TEST_CASE("after RST a client reconnects, or not", "[rssi][client]") {
  const bool reconnect = GENERATE(false, true);
  ClientBench b({.reconnect = reconnect});
  b.connect();
  b.hear(segment(kRst, 0x81, 100));
  CHECK(b.user.why == RssiClose::kByPeer);
  CHECK(b.out.sent.empty());
  CHECK(b.client.status().state == (reconnect ? RssiState::kSynSent : RssiState::kClosed));
  b.pass(kSecond);
  CHECK(b.out.sent.empty() == !reconnect);
}

TEST_CASE("close() sends one RST and stays closed until connect()", "[rssi][client]") {
  ClientBench b;
  b.connect();
  b.client.close(b.now);
  CHECK(b.header() == Header{kRst, 101, 0x80});
  b.pass(10 * kSecond);
  CHECK(b.out.sent.empty());
  CHECK(b.client.status().state == RssiState::kClosed);
  b.client.connect(b.now);
  CHECK(b.header()->flags == kSyn);
  b.client.close(b.now);
  b.pass(kSecond);
  CHECK(b.out.sent.empty());
}

TEST_CASE("a silent BUSY server is probed, and finally given up", "[rssi][client]") {
  ClientBench b;
  b.connect({1, 1024, 20, 5, 1000, 4, 2});
  REQUIRE(b.client.send(Bytes{1}, b.now));
  b.hear(segment(kAck | kBusy, 0x81, 100));
  b.out.sent.clear();
  b.pass(2 * kSecond);
  // The client sends one probe per third of the null timeout.
  CHECK(b.out.sent.size() == 6);
  CHECK(b.client.open());
  SECTION("no response") {
    b.pass(kSecond);
    CHECK(b.user.why == RssiClose::kTimeout);
  }
  SECTION("no longer BUSY; our probes were no errors") {
    b.hear(segment(kAck, 0x81, 100));
    b.out.sent.clear();
    b.pass(50 * kMillisecond);
    CHECK(b.out.sent.size() == 2);
    CHECK(b.client.open());
  }
}
