// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/marking.hpp"

#include "fabric/facts.hpp"
#include "fabric_fixture.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

TEST_CASE("marking: never below kmin, always from kmax, proportional in between") {
  const fabric::EcnMarking ecn{true, 1000, 3000, std::uint64_t{1} << 31};
  Rng rng(7);
  const auto share = [&](std::uint64_t queued) {
    int n = 0;
    for (int i = 0; i < 100'000; ++i) n += fabric::marks(ecn, queued, rng) ? 1 : 0;
    return n;
  };
  CHECK(share(999) == 0);
  CHECK(share(1000) == 0);
  CHECK(share(2000) == Approx(25'000).margin(600));
  CHECK(share(2999) == Approx(50'000).margin(700));
  CHECK(share(3000) == 100'000);
  CHECK_FALSE(fabric::marks({false, 0, 0}, 1 << 20, rng));
  CHECK(fabric::marks({true, 5, 5}, 5, rng));
}

TEST_CASE("marking: CE in the IP header, with valid checksum and iCRC") {
  auto config = star(2);
  config.switches[0].queues[3].ecn = {true, 0, 0};
  DataFrame f;
  SECTION("IPv4") {}
  SECTION("IPv4, ECT(1), with a tag") {
    f.ecn = roce::Ecn::kEct1;
    f.vlan = roce::VlanTag{100, 5};
  }
  SECTION("IPv6") { f.v6 = true; }
  Bench b(config);
  b.send(f, 0);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 1);
  const auto parsed = b.arrivals[0].parsed();
  REQUIRE(parsed.kind == roce::FrameKind::kUdp);
  CHECK(parsed.congestion_experienced);
  CHECK(roce::icrc_matches(parsed));
  CHECK(b.look(kMillisecond).ports[1].ecn_marked == 1);
  CHECK(b.snapshot.flows.at(0).ecn_marked == 1);
}

TEST_CASE("marking: only ECN-capable packets, only in the marked queue") {
  auto config = star(2);
  config.switches[0].queues[3].ecn = {true, 0, 0};
  Bench b(config);
  DataFrame f;
  f.ecn = roce::Ecn::kNotEct;
  b.send(f, 0);
  f.ecn = roce::Ecn::kCe;
  b.send(f, 0);
  f.ecn = roce::Ecn::kEct0;
  f.dscp = 0;
  b.send(f, 0);
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[1].ecn_marked == 0);
  CHECK(b.arrivals.at(0).bytes == data_bytes({0, 1, 1024, 17, 26, roce::Ecn::kNotEct}));
}

TEST_CASE("marking: every IPv4 checksum stays valid") {
  TestStore store;
  DataFrame f;
  f.payload = 0;
  for (std::uint32_t n = 0; n < 70'000; n += 7) {
    auto bytes = data_bytes(f);
    store_be16(&bytes[18], static_cast<std::uint16_t>(n));
    store_be16(&bytes[24], 0);
    store_be16(&bytes[24], roce::internet_checksum(ByteSpan(bytes).subspan(14, 20)));
    Frame* const frame = store.make(bytes);
    fabric::read_facts(*frame);
    fabric::mark_congestion(*frame);
    REQUIRE(roce::internet_checksum(ByteSpan(frame->header + 14, 20)) == 0);
    REQUIRE((frame->header[15] & 3) == 3);
    store.release(frame);
  }
}

TEST_CASE("marking: depends on the queue that a packet finds") {
  auto config = star(3);
  config.switches[0].queues[3].ecn = {true, 5000, 5000};
  Bench b(config);
  for (int i = 0; i < 30; ++i) {
    b.send({0, 2}, 0);
    b.send({1, 2}, 0);
  }
  b.run(kMillisecond);
  const auto& port = b.look(kMillisecond).ports[2];
  std::size_t marked = 0;
  for (const auto& a : b.arrivals) marked += a.parsed().congestion_experienced ? 1U : 0U;
  CHECK(marked == port.ecn_marked);
  CHECK(marked > 30);
  CHECK_FALSE(b.arrivals[5].parsed().congestion_experienced);
}
