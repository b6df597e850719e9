// SPDX-License-Identifier: BSD-3-Clause
// Tests the records of closed connections, for each reason, in virtual time.
#include "srp/rssi_closed.hpp"

#include "rssi_bench.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::srp::rssi;
using namespace softfeb::test;

namespace {

const UdpPeer kRival = udp_peer("192.168.2.101", 50'000);

/// A server whose records of closed connections are stored.
struct RecordedBench : ServerBench {
  RecordedBench() {
    server.notify_closed([this](const RssiClosed& c) {
      CHECK(user.closed == records.size());  // the link's user is notified after this function
      records.push_back(c);
    });
  }
  const RssiClosed& only() {
    REQUIRE(records.size() == 1);
    return records.front();
  }

  std::vector<RssiClosed> records;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns a datagram in which only the checksum is wrong.
Bytes damaged(Bytes bytes) {
  bytes[kHeaderSize - 1] ^= 0xff;
  return bytes;
}

}  // namespace

TEST_CASE("record: the peer sent RST", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  b.pass(300 * kMillisecond);
  b.hear(segment(kRst, 101, 0x80));
  const RssiClosed& c = b.only();
  CHECK(c.why == RssiClose::kByPeer);
  CHECK(c.peer == kClient);
  CHECK(c.closed_at - c.opened_at == 300 * kMillisecond);
  CHECK(c.heard == RssiKind::kRst);
  CHECK(c.heard_at == c.closed_at);
  CHECK(reason_of(c) == "peer sent RST");
  CHECK(describe(c) ==
        "192.168.2.100:40000: connection closed after 0.300 s: peer sent RST; last heard: RST 0.000 s ago");
}

TEST_CASE("record: null timeout, with the kind of the last segment received", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  b.pass(200 * kMillisecond);
  RssiKind kind = RssiKind::kAck;
  SECTION("ACK") { b.hear(segment(kAck, 101, 0x80)); }
  SECTION("NUL") {
    b.hear(segment(kNul | kAck, 101, 0x80));
    kind = RssiKind::kNul;
  }
  SECTION("data") {
    b.hear(segment(kAck, 101, 0x80, Bytes{1}));
    kind = RssiKind::kData;
  }
  b.pass(5 * kSecond);
  const RssiClosed& c = b.only();
  CHECK(c.why == RssiClose::kTimeout);
  CHECK(c.heard == kind);
  CHECK(c.closed_at - c.heard_at == kSecond);
  CHECK(c.closed_at - c.opened_at == 1200 * kMillisecond);
  CHECK(reason_of(c) == "null timeout: nothing received for 1.000 s");
  CHECK(contains(describe(c), std::string("last heard: ") + to_string(kind) + " 1.000 s ago"));
}

TEST_CASE("record: retransmission limit, with the unacknowledged segments", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  for (int i = 0; i < 3; ++i) REQUIRE(b.server.send(Bytes{1, 2, 3}, b.now));
  b.pass(300 * kMillisecond);
  b.hear(segment(kAck, 101, 0x80));  // shows that the peer is alive, but acknowledges no data
  b.pass(5 * kSecond);
  const RssiClosed& c = b.only();
  CHECK(c.why == RssiClose::kRetransmit);
  CHECK(c.unacknowledged == 3);
  CHECK(c.max_transmissions == 25);  // each segment is sent every 20 ms for half of the null timeout
  CHECK(c.retransmitted == 3 * 24);
  CHECK(c.heard == RssiKind::kAck);
  CHECK(c.closed_at - c.heard_at == 200 * kMillisecond);
  CHECK(contains(reason_of(c), "retransmission limit reached: a segment was sent 25 times"));
  CHECK(contains(describe(c), "3 of our segments unacknowledged"));
}

TEST_CASE("record: replaced by another client, with its address", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  b.pass(600 * kMillisecond);
  b.hear(syn(kSyn, 7, 0, kRogue), kRival);
  const auto answer = b.next();
  REQUIRE(answer);
  b.hear(segment(kAck, 8, answer->header.sequence), kRival);
  const RssiClosed& c = b.only();
  CHECK(c.why == RssiClose::kReplaced);
  CHECK(c.peer == kClient);
  CHECK(c.replaced_by == kRival);
  CHECK(c.closed_at - c.heard_at == 600 * kMillisecond);
  CHECK(reason_of(c) == "replaced by another client, 192.168.2.101:50000");
}

TEST_CASE("record: the client restarted", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  b.pass(100 * kMillisecond);
  b.hear(syn(kSyn, 100, 0, kRogue));
  b.pass(100 * kMillisecond);
  b.hear(syn(kSyn, 101, 0, kRogue));
  CHECK(b.only().why == RssiClose::kRestarted);
  CHECK(b.only().peer == kClient);
  CHECK(contains(reason_of(b.only()), "client restarted"));
}

TEST_CASE("record: closed by this end, by the register, or at shutdown", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  SECTION("by this end") {
    b.server.close(b.now);
    CHECK(b.only().why == RssiClose::kByUs);
  }
  SECTION("by the register") {
    b.server.close(RssiClose::kRegister, b.now);
    CHECK(reason_of(b.only()) == "closed by the register CloseConn");
  }
  SECTION("at shutdown") {
    b.server.close(RssiClose::kShutdown, b.now);
    CHECK(reason_of(b.only()) == "shutdown: softfeb ended");
  }
  CHECK(b.header()->flags == kRst);
  CHECK(b.user.why == b.only().why);
  b.server.close(b.now);
  CHECK(b.records.size() == 1);
}

TEST_CASE("record: protocol error, with the cause", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  Bytes wrong;
  std::string what;
  SECTION("checksum") {
    wrong = damaged(segment(kNul | kAck, 101, 0x80));
    what = "wrong header checksum";
  }
  SECTION("header length") {
    wrong = segment(kNul | kAck, 101, 0x80);
    wrong[1] = 9;
    what = "wrong header length";
  }
  SECTION("too short") {
    wrong = Bytes(7);
    what = "datagram shorter than an RSSI header";
  }
  SECTION("data in a NUL") {
    wrong = segment(kNul | kAck, 101, 0x80, Bytes{1});
    what = "data in a SYN, RST or NUL";
  }
  SECTION("too long") {
    wrong = segment(kAck, 101, 0x80, Bytes(1025));
    what = "segment longer than negotiated";
  }
  REQUIRE((parse(wrong).has_value() == (fault_of(wrong) == nullptr)));
  for (int i = 0; i < 3; ++i) {
    b.pass(300 * kMillisecond);
    b.hear(wrong);
  }
  b.hear(wrong, kRival);  // does not count, because it comes from another address
  b.pass(5 * kSecond);
  const RssiClosed& c = b.only();
  CHECK(c.why == RssiClose::kProtocol);
  CHECK(c.errors == 3);
  CHECK(c.closed_at - c.heard_at == kSecond);
  CHECK(c.closed_at - c.last_error_at == 100 * kMillisecond);
  CHECK(reason_of(c) ==
        "protocol error: no valid segment for 1.000 s, but 3 invalid segments, the last: " + what);
}

TEST_CASE("record: silence after invalid and valid segments is a null timeout", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  b.hear(damaged(segment(kAck, 101, 0x80)));
  b.hear(segment(kAck, 101, 0x80));
  b.pass(5 * kSecond);
  CHECK(b.only().why == RssiClose::kTimeout);
  CHECK(b.only().errors == 1);
  CHECK(contains(describe(b.only()), "; 1 invalid segment, the last: wrong header checksum"));
}

TEST_CASE("record: each connection has its own counters", "[rssi][closed]") {
  RecordedBench b;
  b.connect();
  REQUIRE(b.server.send(Bytes{1}, b.now));
  b.hear(damaged(segment(kAck, 101, 0x80)));
  b.pass(5 * kSecond);
  b.connect();
  b.hear(segment(kRst, 101, 0x80));
  REQUIRE(b.records.size() == 2);
  CHECK(b.records[0].retransmitted > 0);
  CHECK(b.records[1].retransmitted == 0);
  CHECK(b.records[1].errors == 0);
  CHECK(b.records[1].last_error == nullptr);
  CHECK(b.records[1].unacknowledged == 0);
}

TEST_CASE("record: the client's side", "[rssi][closed]") {
  ClientBench b;
  std::vector<RssiClosed> records;
  b.client.notify_closed([&](const RssiClosed& c) { records.push_back(c); });
  b.connect();
  b.hear(segment(kRst, 0x81, 100));
  REQUIRE(records.size() == 1);
  CHECK(records[0].why == RssiClose::kByPeer);
  CHECK(records[0].peer == kServer);
}

TEST_CASE("history: keeps the last sixteen, and counts all", "[rssi][closed]") {
  RssiHistory history;
  for (std::uint16_t i = 0; i < 100; ++i) {
    RssiClosed c;
    c.why = i % 4 == 0 ? RssiClose::kTimeout : RssiClose::kByPeer;
    c.peer = kClient;
    c.peer.port = i;
    history.add(c);
  }
  REQUIRE(history.kept().size() == 16);
  CHECK(history.kept().front().peer.port == 84);
  CHECK(history.kept().back().peer.port == 99);
  CHECK(history.count(RssiClose::kTimeout) == 25);
  CHECK(history.count(RssiClose::kByPeer) == 75);
  CHECK(history.count(RssiClose::kShutdown) == 0);
}
