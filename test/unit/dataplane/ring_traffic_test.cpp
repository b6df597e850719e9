// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "dataplane/rx_segments.hpp"
#include "dpdk_rig.hpp"
#include "mbufs.hpp"

#include <array>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

struct RingPair {
  test::DpdkRig rig{1U << 20};
  test::RigPort ports[2]{{rig, {.device = "net_ring:pair"}}, {rig, {.device = "net_ring:pair"}}};
};

TxBuilderConfig small_builder(bool multi_segments) {
  TxBuilderConfig config;
  config.multi_segments = multi_segments;
  config.frame_bytes = 4300;
  config.descriptors = 256;
  config.held = 256;
  return config;
}

/// Sends a packet from `from`, and returns the packet that arrives at `to`.
rte_mbuf* carry(TxBuilder& builder, const test::RigPort& from, const test::RigPort& to,
                const test::Bytes& header, ByteSpan payload, const test::Bytes& trailer) {
  rte_mbuf* const packet = test::built(builder, header, payload, trailer);
  REQUIRE(packet != nullptr);
  REQUIRE(packet->pkt_len >= header.size() + payload.size() + trailer.size());
  rte_mbuf_sanity_check(packet, 1);
  REQUIRE(test::send(from.id(), packet));
  rte_mbuf* arrived = nullptr;
  REQUIRE(rte_eth_rx_burst(to.id(), 0, &arrived, 1) == 1);
  return arrived;
}

std::vector<std::uint8_t> expected(const std::vector<std::uint8_t>& header, ByteSpan payload,
                                   const std::vector<std::uint8_t>& trailer) {
  std::vector<std::uint8_t> all = header;
  all.insert(all.end(), payload.begin(), payload.end());
  all.insert(all.end(), trailer.begin(), trailer.end());
  if (all.size() < 60) all.resize(60, 0);
  return all;
}

void exchange(bool multi_segments) {
  RingPair pair;
  Rng rng(multi_segments ? 11 : 12);
  const MutableByteSpan data = pair.rig.arena.allocate(100'000);
  for (auto& b : data) b = static_cast<std::uint8_t>(rng.next());
  const std::vector<std::uint8_t> before(data.begin(), data.end());
  const std::vector<std::uint8_t> outside = test::random_bytes(rng, 4096);
  TxBuilder builder(small_builder(multi_segments), &pair.rig.arena, pair.rig.pools);

  // Send far more packets than there are mbufs, so that mbufs must return to their pools.
  for (unsigned i = 0; i < 4000; ++i) {
    const auto header = test::random_bytes(rng, 14 + rng.below(85));
    const std::size_t length = i % 7 == 0 ? 0 : i % 5 == 0 ? 4096 : rng.below(4097);
    const ByteSpan payload =
        i % 11 == 0 ? ByteSpan(outside).first(length) : ByteSpan(data).subspan(rng.below(90'000), length);
    const auto trailer = test::random_bytes(rng, i % 13 == 0 ? 0 : 4 + rng.below(4));
    rte_mbuf* arrived = carry(builder, pair.ports[i & 1], pair.ports[1 - (i & 1)], header, payload, trailer);
    const auto wanted = expected(header, payload, trailer);
    REQUIRE(arrived->pkt_len == wanted.size());
    REQUIRE(test::bytes_of(arrived) == wanted);
    Segments segments;
    REQUIRE(to_segments(arrived, segments) == (arrived->nb_segs <= Segments::kMax));
    if (!multi_segments) REQUIRE(arrived->nb_segs == 1);
    rte_pktmbuf_free(arrived);
  }
  CHECK((builder.counters().external > 2000) == multi_segments);
  CHECK(builder.counters().no_mbuf == 0);
  CHECK(std::equal(before.begin(), before.end(), data.begin()));
}

}  // namespace

TEST_CASE("frames cross a ring pair both ways, payload attached", "[dataplane][traffic]") { exchange(true); }
TEST_CASE("frames cross a ring pair both ways, payload copied", "[dataplane][traffic]") { exchange(false); }

TEST_CASE("an attached payload is the arena's own memory", "[dataplane][traffic]") {
  RingPair pair;
  REQUIRE(pair.ports[0].port().capabilities().multi_segments);
  const MutableByteSpan data = pair.rig.arena.allocate(4096);
  TxBuilder builder(small_builder(true), &pair.rig.arena, pair.rig.pools);
  rte_mbuf* arrived = carry(builder, pair.ports[0], pair.ports[1], std::vector<std::uint8_t>(98, 1), data,
                            std::vector<std::uint8_t>(4, 2));
  REQUIRE(arrived->nb_segs == 3);
  CHECK(rte_pktmbuf_mtod(arrived->next, std::uint8_t*) == data.data());
  rte_pktmbuf_free(arrived);
}

TEST_CASE("an exhausted pool gives fewer frames and leaks none", "[dataplane][traffic]") {
  RingPair pair;
  const MutableByteSpan data = pair.rig.arena.allocate(4096);
  TxBuilder builder(small_builder(true), &pair.rig.arena, pair.rig.pools);
  constexpr unsigned kAll = 4096;
  std::vector<TxBuilder::TxFrame> frames(kAll);
  std::vector<rte_mbuf*> packets(kAll);
  unsigned acquired = 0;
  for (unsigned n = 1; n != 0; acquired += n) {
    n = builder.acquire(std::span(frames).subspan(acquired, std::min(kAll - acquired, 32U)),
                        std::span(packets).subspan(acquired));
  }
  REQUIRE(acquired >= 512);
  REQUIRE(acquired < kAll);
  for (unsigned i = 0; i < acquired; ++i) {
    frames[i].header_length = 98;
    frames[i].payload = data.data();
    frames[i].payload_length = 4096;
    frames[i].trailer_length = 4;
  }
  const unsigned built = builder.build(std::span(frames).first(acquired), std::span(packets).first(acquired));
  CHECK(built >= 512);
  CHECK(builder.counters().no_mbuf != 0);
  for (unsigned i = built; i < acquired; ++i) REQUIRE(packets[i]->nb_segs == 1);
  TxBuilder::release(std::span(packets).first(acquired));
  CHECK(builder.acquire(std::span(frames).first(32), std::span(packets).first(32)) == 32);
  TxBuilder::release(std::span(packets).first(32));
}
