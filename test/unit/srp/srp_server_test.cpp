// SPDX-License-Identifier: BSD-3-Clause
#include "srp/srp_server.hpp"

#include "../../support/fake_link.hpp"
#include "../../support/memory_bus.hpp"

#include <optional>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using test::FakeLink;
using test::MemoryBus;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes pattern(std::size_t n, std::uint8_t first = 1) {
  Bytes out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(first + i * 7);
  return out;
}

/// A server with a fake link and a fake bus. The packetizer of a client makes the requests.
struct Rig {
  explicit Rig(bool at_once = true, const SrpServerLimits& limits = {})
      : bus(64 * 1024, at_once), server(bus, limits), link(server) {
    server.attach(link);
    link.connect();
  }

  /// Sends one request in as many segments as necessary. Returns false if the server is busy.
  bool request(ByteSpan message, const FrameTags& tags = {}) {
    std::size_t at = 0;
    while (at < message.size()) {
      const std::size_t n = std::min<std::size_t>(1000, message.size() - at);
      Bytes segment(1016);
      segment.resize(cutter.write(segment, message.subspan(at, n), at + n == message.size(), tags));
      if (!server.on_segment(segment, now)) return false;
      at += n;
    }
    return true;
  }
  bool read(std::uint32_t id, std::uint32_t address, std::size_t size) {
    return request(srp::make_request(srp::Opcode::kRead, id, address, size, {}));
  }
  bool write(std::uint32_t id, std::uint32_t address, ByteSpan data,
             srp::Opcode opcode = srp::Opcode::kWrite) {
    return request(srp::make_request(opcode, id, address, data.size(), data));
  }

  /// Returns the next response, which is valid until the next call.
  std::optional<srp::Response> response() {
    while (!link.sent.empty()) {
      if (collector.push(link.take(now)) == Depacketizer::Result::kFrame)
        return srp::parse_response(collector.frame());
    }
    return std::nullopt;
  }
  void expect_status(std::uint32_t id, std::uint32_t status, std::size_t data) {
    const auto r = response();
    REQUIRE(r);
    CHECK(r->id == id);
    CHECK(r->status == status);
    CHECK(r->data.size() == data);
  }

  MemoryBus bus;
  SrpServer server;
  FakeLink link;
  Packetizer cutter;
  Depacketizer collector{srp::kMaxMessage};
  Time now = 0;
};

}  // namespace

TEST_CASE("an SRP write is executed, echoed and read back", "[srp]") {
  Rig rig;
  const Bytes data = pattern(4096);
  REQUIRE(rig.write(7, 0x1000, data));
  auto r = rig.response();
  REQUIRE(r);
  CHECK(r->id == 7);
  CHECK(r->status == 0);
  CHECK(Bytes(r->data.begin(), r->data.end()) == data);
  CHECK(std::equal(data.begin(), data.end(), rig.bus.memory.begin() + 0x1000));

  REQUIRE(rig.read(8, 0x1000, 4096));
  r = rig.response();
  REQUIRE(r);
  CHECK(Bytes(r->data.begin(), r->data.end()) == data);
  CHECK(rig.link.bad_sends == 0);
}

TEST_CASE("posted SRP writes get no response, null requests do", "[srp]") {
  Rig rig;
  REQUIRE(rig.write(1, 0x20, pattern(8), srp::Opcode::kPostedWrite));
  REQUIRE(rig.write(2, 0x22, pattern(8), srp::Opcode::kPostedWrite));  // invalid, but a posted write never
                                                                       // gets a response
  CHECK_FALSE(rig.response());
  CHECK(rig.bus.memory[0x20] == pattern(8)[0]);
  REQUIRE(rig.request(srp::make_request(srp::Opcode::kNull, 3, 0, 4, {})));
  rig.expect_status(3, 0, 0);
  CHECK(rig.server.counters().posted == 2);
  CHECK(rig.server.counters().responses == 1);
}

TEST_CASE("a failing SRP access returns the words before it and the status", "[srp]") {
  Rig rig;
  rig.bus.refuses = 0x108;
  REQUIRE(rig.read(1, 0x100, 16));
  rig.expect_status(1, 2, 8);
  REQUIRE(rig.write(2, 0x100, pattern(16)));
  rig.expect_status(2, 2, 8);
  REQUIRE(rig.read(3, 0xfffc, 8));
  rig.expect_status(3, 3, 4);
  REQUIRE(rig.read(4, 0xf0000000, 4));
  rig.expect_status(4, 3, 0);
  CHECK(rig.server.counters().bus_errors == 4);
}

TEST_CASE("invalid SRP requests never reach the bus", "[srp]") {
  Rig rig;
  REQUIRE(rig.read(1, 0x101, 4));
  rig.expect_status(1, srp::kMisaligned, 0);
  REQUIRE(rig.write(2, 0, pattern(8192)));
  rig.expect_status(2, srp::kTooLarge, 0);
  FrameTags damaged;
  damaged.last_user = 1;
  REQUIRE(rig.request(srp::make_request(srp::Opcode::kWrite, 3, 0, 4, pattern(4)), damaged));
  rig.expect_status(3, srp::kEofe, 0);
  REQUIRE(rig.request(pattern(3)));
  CHECK_FALSE(rig.response());
  CHECK(rig.bus.accesses == 0);
}

TEST_CASE("with the bit that ignores bus errors an SRP access continues", "[srp]") {
  Rig rig;
  rig.bus.refuses = 0x104;
  Bytes request = srp::make_request(srp::Opcode::kRead, 1, 0x100, 12, {});
  request[1] |= 0x40;
  std::fill_n(rig.bus.memory.begin() + 0x100, 12, 0x11);
  REQUIRE(rig.request(request));
  auto r = rig.response();
  REQUIRE(r);
  CHECK(r->status == 0);
  REQUIRE(r->data.size() == 12);
  CHECK(load_le32(r->data.data()) == 0x11111111);
  CHECK(load_le32(r->data.data() + 4) == 0xffffffff);
  CHECK(load_le32(r->data.data() + 8) == 0x11111111);

  // Read 1024 words at unmapped addresses.
  request = srp::make_request(srp::Opcode::kRead, 2, 0xf0000000, 4096, {});
  request[1] |= 0x40;
  REQUIRE(rig.request(request));
  rig.expect_status(2, 0, 4096);
}

TEST_CASE("SRP accesses are executed in order, one at a time, on any bus", "[srp]") {
  Rig rig(false);
  for (std::uint32_t id = 1; id <= 300; ++id) REQUIRE(rig.read(id, id * 4, 4));
  for (std::uint32_t id = 1; id <= 300; ++id) {
    REQUIRE(rig.bus.waiting());
    CHECK_FALSE(rig.response());
    rig.bus.answer(id);
    rig.expect_status(id, 0, 4);
  }
  CHECK_FALSE(rig.bus.waiting());
  CHECK_FALSE(rig.bus.overlapped);
  CHECK(rig.link.bad_sends == 0);
}

TEST_CASE("the memory of an SRP server is bounded, and it reports the limit", "[srp]") {
  SrpServerLimits limits;
  SECTION("requests") { limits.requests = 8; }
  SECTION("their bytes") { limits.request_bytes = 8 * 24 - 3; }
  Rig rig(false, limits);
  std::uint32_t taken = 0;
  while (rig.write(taken + 1, 0x40, pattern(4)) && taken < 1000) ++taken;
  CHECK(taken == 9);  // eight requests are queued, and one is in progress
  CHECK(rig.server.counters().busy == 1);
  CHECK(rig.link.resumed == 0);
  rig.bus.answer(1);
  CHECK(rig.link.resumed == 1);
  for (std::uint32_t id = 1; id <= taken; ++id) {
    rig.expect_status(id, 0, 4);
    if (rig.bus.waiting()) rig.bus.answer(id);
  }
  CHECK(rig.link.resumed == 1);
}

TEST_CASE("unread responses hold back further accesses", "[srp]") {
  SrpServerLimits limits;
  limits.response_bytes = 10'000;
  limits.requests = 20;
  Rig rig(true, limits);
  std::uint32_t taken = 0;
  while (rig.read(taken + 1, 0, 4096) && taken < 1000) ++taken;
  // The link's window holds 16 segments of responses. In addition, the server stores 10 kB of responses and
  // 20 requests.
  CHECK(taken >= 20 + 3 + 2);
  CHECK(taken <= 20 + 4 + 4);
  for (std::uint32_t id = 1; id <= taken; ++id) rig.expect_status(id, 0, 4096);
  CHECK(rig.link.resumed == 1);
  CHECK(rig.bus.accesses == taken);
}

TEST_CASE("a disconnected SRP client leaves nothing to the next one", "[srp]") {
  Rig rig(false);
  for (std::uint32_t id = 1; id <= 5; ++id) REQUIRE(rig.read(id, 0, 4));
  REQUIRE(rig.bus.waiting());
  rig.link.close(1);
  rig.cutter.reset();
  rig.link.connect(2);
  REQUIRE(rig.read(100, 0, 8));
  CHECK(rig.bus.accesses == 1);  // an access of the previous connection still occupies the bus
  rig.bus.answer(3);
  CHECK(rig.link.sent.empty());
  REQUIRE(rig.bus.waiting());
  rig.bus.answer(4);
  rig.expect_status(100, 0, 8);
  CHECK_FALSE(rig.bus.overlapped);
  CHECK_FALSE(rig.response());
}

TEST_CASE("a bus may respond after the SRP server was destroyed", "[srp]") {
  MemoryBus bus(1024, false);
  {
    SrpServer server(bus);
    FakeLink link(server);
    server.attach(link);
    link.connect();
    Packetizer cutter;
    Bytes segment(64);
    segment.resize(cutter.write(segment, srp::make_request(srp::Opcode::kRead, 1, 0, 16, {}), true));
    REQUIRE(server.on_segment(segment, 0));
  }
  REQUIRE(bus.waiting());
  bus.answer(1);
}
