// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/canary.hpp"

#include "roce/frame.hpp"
#include "roce/packet.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

constexpr roce::Psn kFirst = 0xffffff;
constexpr Time kLimit = 5 * kMillisecond;

struct Bench {
  CaseEnvironment environment;
  Canary canary;
  Frames frames;

  explicit Bench(const RegionPlace* region = nullptr) {
    environment.path.source_ip = *roce::IpAddress::parse("10.0.0.1");
    environment.path.dest_ip = *roce::IpAddress::parse("10.0.0.2");
    environment.regions.assign(1, {.address = 0x1000, .rkey = 0x11, .size = 0x100});
    canary.open(environment, 0x100, 0x500, kFirst, region);
  }
  void acknowledge(roce::Psn psn, Time now, std::uint8_t syndrome = 0x1f, bool icrc_right = true) {
    Answer answer{.at = now, .opcode = 0x11, .psn = psn, .dest_qp = 0x100, .icrc_right = icrc_right};
    answer.aeth = roce::Aeth{.syndrome = syndrome};
    canary.on_answer(answer, now);
  }
  roce::ReceivedRequest sent() const {
    REQUIRE_FALSE(frames.empty());
    return roce::parse_transport(roce::transport_bytes(roce::parse_frame(ByteSpan(frames.back())))).request;
  }
};

}  // namespace

TEST_CASE("a canary writes to the end of its region and measures the round trip", "[canary]") {
  Bench bench;
  Canary& canary = bench.canary;
  CHECK(canary.state() == Canary::State::kIdle);
  CHECK(canary.owns(0x100));
  CHECK_FALSE(canary.owns(0x101));
  CHECK(canary.remote() == 0x500);
  CHECK(canary.next_event() == kNever);
  canary.check(kSecond, kLimit, bench.frames);
  CHECK(canary.state() == Canary::State::kWaiting);
  REQUIRE(bench.frames.size() == 1);
  CHECK(bench.sent().bth.psn == kFirst);
  CHECK(bench.sent().bth.dest_qp == 0x500);
  CHECK(bench.sent().bth.ack_req);
  CHECK(bench.sent().reth.virtual_address == 0x1000 + 0x100 - 8);
  CHECK(bench.sent().reth.rkey == 0x11);
  bench.acknowledge(kFirst, kSecond + 7);
  CHECK(canary.state() == Canary::State::kIdle);
  CHECK(canary.round_trips() == std::vector<Time>{7});
  CHECK(canary.answers() == 1);
  // The next WRITE has PSN 0, because PSNs wrap.
  canary.check(2 * kSecond, kLimit, bench.frames);
  CHECK(bench.sent().bth.psn == 0);
  CHECK(canary.last_answer() == "ACK PSN e");
}

TEST_CASE("a canary writes to the memory of a fixed queue pair", "[canary]") {
  const RegionPlace region{.address = 0x9000, .rkey = 0x99, .size = 0x40};
  Bench bench(&region);
  bench.canary.check(0, kLimit, bench.frames);
  CHECK(bench.sent().reth.virtual_address == 0x9000 + 0x40 - 8);
  CHECK(bench.sent().reth.rkey == 0x99);
}

TEST_CASE("a canary is lost after three WRITEs without an acknowledgement", "[canary]") {
  Bench bench;
  Canary& canary = bench.canary;
  canary.check(0, kLimit, bench.frames);
  for (std::size_t tries = 1; tries <= 3; ++tries) {
    CHECK(bench.frames.size() == tries);
    CHECK(bench.sent().bth.psn == kFirst);
    CHECK(canary.next_event() == tries * kLimit);
    canary.run(tries * kLimit - 1, bench.frames);
    CHECK(bench.frames.size() == tries);
    CHECK(canary.state() == Canary::State::kWaiting);
    canary.run(tries * kLimit, bench.frames);
  }
  CHECK(canary.state() == Canary::State::kLost);
  CHECK(bench.frames.size() == 3);
  CHECK(canary.next_event() == kNever);
  bench.acknowledge(kFirst, 4 * kLimit);
  CHECK(canary.state() == Canary::State::kLost);
}

TEST_CASE("a round trip counts only for the first try", "[canary]") {
  Bench bench;
  bench.canary.check(0, kLimit, bench.frames);
  bench.canary.run(kLimit, bench.frames);
  bench.acknowledge(kFirst, kLimit + 1);
  CHECK(bench.canary.state() == Canary::State::kIdle);
  CHECK(bench.canary.round_trips().empty());
}

TEST_CASE("only the right acknowledgement shows that the canary lives", "[canary]") {
  Bench bench;
  bench.canary.check(0, kLimit, bench.frames);
  bench.acknowledge(kFirst - 1, 1);
  bench.acknowledge(0, 1);
  bench.acknowledge(kFirst, 1, 0x60);
  bench.acknowledge(kFirst, 1, 0x2c);
  bench.acknowledge(kFirst, 1, 0x1f, false);
  CHECK(bench.canary.state() == Canary::State::kWaiting);
  CHECK(bench.canary.answers() == 5);
  bench.acknowledge(kFirst, 1);
  CHECK(bench.canary.state() == Canary::State::kIdle);
}
