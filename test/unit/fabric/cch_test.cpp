// SPDX-License-Identifier: BSD-3-Clause
// Tests that a packet with a congestion control header is treated like any other RoCEv2 packet.
#include "cch_frame.hpp"
#include "fabric/facts.hpp"
#include "fabric_fixture.hpp"
#include "roce/packet.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

using CchBytes = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("frames with a congestion control header are marked, and counted by queue pair", "[cch]") {
  auto config = star(2);
  config.switches[0].queues[3].ecn = {true, 0, 0};
  Bench b(config);
  DataFrame f;
  f.qpn = 0x4321;
  b.send(0, with_cch(data_bytes(f), int_cch()), 0);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 1);
  CHECK(b.arrivals[0].parsed().congestion_experienced);
  const auto& flows = b.look(kMillisecond).flows;
  REQUIRE(flows.size() == 1);
  CHECK(flows[0].qpn == 0x4321);
  CHECK(flows[0].packets == 1);
  CHECK(flows[0].ecn_marked == 1);
}

TEST_CASE("facts are those of the packet behind the congestion control header", "[cch]") {
  TestStore store;
  const auto facts = [&store](const CchBytes& bytes) {
    Frame* const frame = store.make(bytes);
    const auto entry = fabric::read_facts(*frame);
    const unsigned kind = frame->facts & (fabric::kFactRequest | fabric::kFactAck);
    store.release(frame);
    return std::pair{entry.roce, kind};
  };
  CHECK(facts(with_cch(data_bytes({}), int_cch())) == std::pair{true, unsigned{fabric::kFactRequest}});
  CHECK(facts(with_cch(ack_bytes({}), echo_of(int_cch()))) == std::pair{true, unsigned{fabric::kFactAck}});
  CchBytes grant = with_cch(ack_bytes({}), grant_cch());
  grant[udp_place(grant).content + 20] = roce::kOpcodeCongestionControl;
  CHECK(facts(grant) == std::pair{true, 0U});
}

TEST_CASE("a frame that is used again has no congestion control header from before", "[cch]") {
  auto config = star(2);
  config.switches[0].int_on = true;
  Bench b(config);
  b.send(0, with_cch(data_bytes({0, 1}), int_cch()), 0);
  b.run(kMillisecond);
  b.send(0, data_bytes({0, 1}), kMillisecond);
  b.run(2 * kMillisecond);
  CHECK(b.arrivals.size() == 2);
  CHECK(b.look(2 * kMillisecond).ports[1].cch_hops == 1);
  CHECK(b.snapshot.ports[1].cch_invalid == 0);
}

TEST_CASE("forge: acknowledgements with a congestion control header name the sender, too", "[cch]") {
  auto config = star(2);
  config.switches[0].forge = {k10G / 4, 100 * kMicrosecond, 50 * kMicrosecond};
  Bench b(config);
  DataFrame ack{1, 0};
  ack.qpn = 99;
  for (Time t = 0; t < 2 * kMillisecond; t += 1770 * kNanosecond) {
    b.send(0, with_cch(data_bytes({0, 1}), int_cch()), t);
    if (t % (10 * 1770 * kNanosecond) == 0) b.send(1, with_cch(ack_bytes(ack), echo_of(int_cch())), t);
    b.run(t);
  }
  b.run(10 * kMillisecond);
  std::size_t cnps = 0;
  for (const auto& a : b.at_station(0)) {
    const auto parsed = a.parsed();
    if (parsed.dest_port != roce::kRoceUdpPort) continue;
    const auto packet = roce::parse_transport(roce::transport_bytes(parsed));
    REQUIRE(packet.kind == roce::TransportKind::kCnp);
    CHECK(packet.request.bth.dest_qp == 99);
    CHECK(roce::icrc_matches(parsed));
    ++cnps;
  }
  CHECK(cnps > 30);
}
