// SPDX-License-Identifier: BSD-3-Clause
#include "srp/srp_client.hpp"

#include "../../support/fake_link.hpp"
#include "../../support/memory_bus.hpp"
#include "srp/srp_server.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using test::FakeLink;
using test::MemoryBus;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A client and a server. The server receives the client's segments only when the test calls exchange().
struct ClientRig {
  ClientRig() : server(bus), link(client), far(server) {
    client.attach(link);
    server.attach(far);
    link.connect();
    far.connect();
  }

  SrpClient::Callback note() {
    return [this](const SrpReply& reply, Time) {
      outcomes.push_back(reply.outcome);
      status = reply.status;
      data.assign(reply.data.begin(), reply.data.end());
    };
  }
  void exchange(Time now) {
    while (!link.sent.empty()) far_user().on_segment(link.take(now), now);
    while (!far.sent.empty()) client.on_segment(far.take(now), now);
  }
  /// Passes a response that the test has made to the client.
  void answer(ByteSpan message, Time now) {
    Bytes segment(5000);
    segment.resize(cutter.write(segment, message, true));
    client.on_segment(segment, now);
  }
  RssiUser& far_user() { return server; }

  MemoryBus bus;
  SrpServer server;
  SrpClient client{kSecond};
  FakeLink link;
  FakeLink far;
  Packetizer cutter;
  std::vector<SrpOutcome> outcomes;
  std::uint32_t status = 0;
  Bytes data;
};

}  // namespace

TEST_CASE("an SRP client reads what it wrote", "[srp]") {
  ClientRig rig;
  Bytes pattern(2048);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::uint8_t>(i * 13);
  REQUIRE(rig.client.write(0x400, pattern, 0, rig.note()));
  REQUIRE(rig.client.post(0x404, Bytes{1, 2, 3, 4}, 0));
  REQUIRE(rig.client.read(0x400, 2048, 0, rig.note()));
  REQUIRE(rig.client.null(0, rig.note()));
  CHECK(rig.client.pending() == 3);
  rig.exchange(1);
  CHECK(rig.outcomes == std::vector<SrpOutcome>(3, SrpOutcome::kOk));
  CHECK(rig.client.pending() == 0);
  CHECK(rig.client.deadline() == kNever);
  std::copy_n(Bytes{1, 2, 3, 4}.begin(), 4, pattern.begin() + 4);
  CHECK(std::equal(pattern.begin(), pattern.end(), rig.bus.memory.begin() + 0x400));
}

TEST_CASE("an SRP client returns the status with the words before the error", "[srp]") {
  ClientRig rig;
  rig.bus.refuses = 8;
  REQUIRE(rig.client.read(0, 16, 0, rig.note()));
  rig.exchange(1);
  CHECK(rig.outcomes == std::vector{SrpOutcome::kStatus});
  CHECK(rig.status == 2);
  CHECK(rig.data.size() == 8);
}

TEST_CASE("SRP transactions time out, but not while responses arrive", "[srp]") {
  ClientRig rig;
  REQUIRE(rig.client.read(0, 4, 0, rig.note()));
  REQUIRE(rig.client.read(4, 4, 0, rig.note()));
  CHECK(rig.client.deadline() == kSecond);
  rig.server.on_segment(rig.link.take(), 0);
  rig.client.on_segment(rig.far.take(), kSecond / 2);
  CHECK(rig.client.deadline() == kSecond / 2 + kSecond);
  rig.client.on_timer(kSecond);
  CHECK(rig.outcomes == std::vector{SrpOutcome::kOk});
  rig.client.on_timer(2 * kSecond);
  CHECK(rig.outcomes == std::vector{SrpOutcome::kOk, SrpOutcome::kTimeout});
  // The response to the timed-out request arrives late.
  rig.exchange(3 * kSecond);
  CHECK(rig.outcomes.size() == 2);
  CHECK(rig.client.counters().foreign == 1);
}

TEST_CASE("unsolicited responses are dropped", "[srp]") {
  ClientRig rig;
  REQUIRE(rig.client.read(0x100, 4, 0, rig.note()));
  Bytes good = srp::make_request(srp::Opcode::kRead, 1, 0x100, 4, Bytes(8));
  for (const std::size_t byte : {0, 1, 4, 7, 8, 15, 16}) {
    Bytes other = good;
    other[byte] ^= 0x01;
    rig.answer(other, 1);
  }
  rig.answer(ByteSpan(good).first(20), 1);
  CHECK(rig.client.counters().foreign == 8);
  CHECK(rig.outcomes.empty());
  rig.answer(good, 1);
  rig.answer(good, 1);
  CHECK(rig.client.counters().foreign == 9);
  CHECK(rig.outcomes == std::vector{SrpOutcome::kOk});

  // The response to this write does not echo its data.
  REQUIRE(rig.client.write(0x100, Bytes(4), 2, rig.note()));
  rig.answer(srp::make_request(srp::Opcode::kWrite, 2, 0x100, 4, Bytes(4)), 3);
  CHECK(rig.outcomes.back() == SrpOutcome::kMalformed);
}

TEST_CASE("a link that closes ends every SRP transaction", "[srp]") {
  ClientRig rig;
  for (int i = 0; i < 3; ++i) REQUIRE(rig.client.read(0, 4, 0, rig.note()));
  // A callback may retry its request immediately.
  REQUIRE(rig.client.read(0, 4, 0, [&](const SrpReply& r, Time now) {
    rig.outcomes.push_back(r.outcome);
    CHECK_FALSE(rig.client.read(0, 4, now, rig.note()));
  }));
  rig.link.close(5);
  CHECK(rig.outcomes == std::vector<SrpOutcome>(4, SrpOutcome::kClosed));
  CHECK_FALSE(rig.client.read(0, 4, 6, rig.note()));
  CHECK_FALSE(rig.client.post(0, Bytes(4), 6));
}
