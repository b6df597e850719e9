// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/mbuf_frames.hpp"

#include "base/rng.hpp"
#include "cch_frame.hpp"
#include "mbufs.hpp"
#include "roce_frame.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_mbuf.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

using test::Bytes;
constexpr std::uint32_t kFrameBytes = 4300;

struct FramesBench {
  Mempools pools;
  rte_mempool* packets = pools.create("packets", 512, kFrameBytes);
  MbufFrames frames{MbufFrames::kReserve + 32, kFrameBytes, 1, pools};
  Rng rng{21};

  /// Returns a packet in segments of the given lengths.
  rte_mbuf* packet(const std::vector<std::size_t>& lengths) {
    rte_mbuf* first = nullptr;
    for (const std::size_t n : lengths) {
      rte_mbuf* const m = test::packet(packets, test::random_bytes(rng, n));
      REQUIRE(m != nullptr);
      if (first == nullptr)
        first = m;
      else
        REQUIRE(rte_pktmbuf_chain(first, m) == 0);
    }
    return first;
  }

  unsigned out() const { return rte_mempool_in_use_count(packets); }
};

Bytes taken(MbufFrames& frames, fabric::Frame* frame) {
  rte_mbuf* const m = frames.take(frame);
  rte_mbuf_sanity_check(m, 1);
  const Bytes bytes = test::bytes_of(m);
  rte_pktmbuf_free(m);
  return bytes;
}

unsigned different_bits(const Bytes& a, const Bytes& b) {
  REQUIRE(a.size() == b.size());
  unsigned n = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    n += static_cast<unsigned>(std::popcount(static_cast<unsigned>(a[i] ^ b[i])));
  return n;
}

}  // namespace

TEST_CASE("a frame represents its packet, and returns it unchanged", "[dataplane][frames]") {
  FramesBench b;
  rte_mbuf* const packet = b.packet({98, 4096, 4});
  const Bytes before = test::bytes_of(packet);
  fabric::Frame* const frame = b.frames.adopt(packet);
  REQUIRE(frame != nullptr);
  CHECK(frame->header == rte_pktmbuf_mtod(packet, std::uint8_t*));
  CHECK(frame->header_length == 98);
  CHECK(frame->length == before.size());
  CHECK(taken(b.frames, frame) == before);
  CHECK(b.out() == 0);
}

TEST_CASE("headers as a board writes them are not copied, regardless of their length",
          "[dataplane][frames]") {
  FramesBench b;
  // The first segment contains only Ethernet, 802.1Q (optional), IP, UDP and BTH.
  const auto adopted = [&b](std::uint32_t first, std::uint16_t type, std::uint16_t inner) {
    rte_mbuf* const packet = b.packet({first, 4096, 4});
    auto* const bytes = rte_pktmbuf_mtod(packet, std::uint8_t*);
    store_be16(bytes + 12, type);
    store_be16(bytes + 16, inner);
    fabric::Frame* const frame = b.frames.adopt(packet);
    REQUIRE(frame != nullptr);
    const bool same = MbufFrames::packet_of(frame) == packet;
    b.frames.release(frame);
    return same;
  };
  CHECK(adopted(54, 0x0800, 0));
  CHECK_FALSE(adopted(53, 0x0800, 0));
  CHECK(adopted(58, 0x8100, 0x0800));
  CHECK_FALSE(adopted(57, 0x8100, 0x0800));
  CHECK(adopted(74, 0x86dd, 0));
  CHECK_FALSE(adopted(73, 0x86dd, 0));
  CHECK(adopted(78, 0x8100, 0x86dd));
  CHECK_FALSE(adopted(77, 0x8100, 0x86dd));
  CHECK_FALSE(adopted(17, 0x0800, 0));
  CHECK(b.out() == 0);
}

TEST_CASE("headers that switches write to include the congestion control header", "[dataplane][frames]") {
  FramesBench b;
  const auto whole = test::with_cch(test::roce_frame({.payload = 1000}), test::int_cch());
  constexpr std::size_t kHeaders = 14 + 20 + 8 + 48 + 12;
  for (const std::size_t first : {kHeaders - 60, kHeaders - 30, kHeaders - 1, kHeaders, kHeaders + 16}) {
    CAPTURE(first);
    rte_mbuf* const packet = test::packet(b.packets, ByteSpan(whole).first(first));
    REQUIRE(rte_pktmbuf_chain(packet, test::packet(b.packets, ByteSpan(whole).subspan(first))) == 0);
    fabric::Frame* const frame = b.frames.adopt(packet);
    REQUIRE(frame != nullptr);
    CHECK((MbufFrames::packet_of(frame) == packet) == (first >= kHeaders));
    CHECK(frame->header_length >= kHeaders);
    CHECK(taken(b.frames, frame) == whole);
  }
  CHECK(b.out() == 0);
}

TEST_CASE("split or shared headers are copied", "[dataplane][frames]") {
  FramesBench b;
  rte_mbuf* const packet = b.packet({20, 30, 4096});
  const Bytes before = test::bytes_of(packet);
  fabric::Frame* const frame = b.frames.adopt(packet);
  REQUIRE(frame != nullptr);
  CHECK(frame->header_length >= 78);
  CHECK(b.out() == 0);
  CHECK(taken(b.frames, frame) == before);

  rte_mbuf* const shared = b.packet({200});
  rte_mbuf_refcnt_update(shared, 1);
  const Bytes old = test::bytes_of(shared);
  fabric::Frame* const mine = b.frames.adopt(shared);
  REQUIRE(mine != nullptr);
  mine->header[0] = static_cast<std::uint8_t>(~mine->header[0]);
  CHECK(test::bytes_of(shared) == old);
  rte_pktmbuf_free(shared);
  b.frames.release(mine);
  CHECK(b.out() == 0);
}

TEST_CASE("a corrupted frame differs in one bit after Ethernet, and shares nothing", "[dataplane][frames]") {
  FramesBench b;
  std::set<std::size_t> places;
  for (int i = 0; i < 200; ++i) {
    rte_mbuf* const packet = b.packet({60, 500});
    rte_mbuf_refcnt_update(packet->next, 1);
    rte_mbuf* const payload = packet->next;
    const Bytes before = test::bytes_of(packet);
    const Bytes shared = test::bytes_of(payload);
    fabric::Frame* const frame = b.frames.adopt(packet);
    REQUIRE(frame != nullptr);
    REQUIRE(b.frames.corrupt(*frame, b.rng.next()));
    const Bytes after = taken(b.frames, frame);
    CHECK(different_bits(before, after) == 1);
    const auto at = std::mismatch(before.begin(), before.end(), after.begin()).first - before.begin();
    CHECK(at >= 14);
    places.insert(static_cast<std::size_t>(at));
    CHECK(test::bytes_of(payload) == shared);
    rte_pktmbuf_free(payload);
  }
  CHECK(places.size() > 100);
  CHECK(b.out() == 0);
}

TEST_CASE("a copy outlives the original", "[dataplane][frames]") {
  FramesBench b;
  rte_mbuf* const packet = b.packet({98, 1000});
  const Bytes before = test::bytes_of(packet);
  fabric::Frame* const frame = b.frames.adopt(packet);
  fabric::Frame* const twin = b.frames.copy(*frame);
  REQUIRE(twin != nullptr);
  twin->header[20] ^= 1;
  CHECK(taken(b.frames, frame) == before);
  CHECK(different_bits(taken(b.frames, twin), before) == 1);
}

TEST_CASE("thousands of short copies of a broadcast fit, beside long ones", "[dataplane][frames]") {
  Mempools pools;
  rte_mempool* const packets = pools.create("packets", 512, kFrameBytes);
  MbufFrames frames(10'000, kFrameBytes, 1, pools);
  for (const std::uint16_t length : {60, 1000}) {
    rte_mbuf* const packet = rte_pktmbuf_alloc(packets);
    packet->data_len = length;
    packet->pkt_len = length;
    const Bytes before = test::bytes_of(packet);
    fabric::Frame* const frame = frames.adopt(packet);
    std::vector<fabric::Frame*> copies;
    while (copies.size() < 8000) {
      fabric::Frame* const copy = frames.copy(*frame);
      if (copy == nullptr) break;
      copies.push_back(copy);
    }
    CHECK((copies.size() == 8000) == (length == 60));
    CHECK(copies.size() >= 1024);
    for (fabric::Frame* const copy : copies) CHECK(taken(frames, copy) == before);
    frames.release(frame);
  }
  CHECK(rte_mempool_in_use_count(packets) == 0);
}

TEST_CASE("frames created by the network are padded, and fit when packets do not", "[dataplane][frames]") {
  FramesBench b;
  std::vector<fabric::Frame*> held;
  for (;;) {
    rte_mbuf* const packet = b.packet({64});
    fabric::Frame* const frame = b.frames.adopt(packet);
    if (frame == nullptr) rte_pktmbuf_free(packet);
    if (frame == nullptr) break;
    held.push_back(frame);
  }
  CHECK(held.size() == 32);
  CHECK(b.frames.room() == 0);
  const Bytes bytes(18, 7);
  fabric::Frame* const made = b.frames.make(bytes);
  REQUIRE(made != nullptr);
  CHECK(made->length == 60);
  Bytes padded = bytes;
  padded.resize(60, 0);
  CHECK(taken(b.frames, made) == padded);
  for (fabric::Frame* const f : held) b.frames.release(f);
  CHECK(b.frames.room() == 32);
  CHECK(b.out() == 0);
}

TEST_CASE("a packet shorter than an Ethernet header is rejected", "[dataplane][frames]") {
  FramesBench b;
  rte_mbuf* const packet = b.packet({13});
  CHECK(b.frames.adopt(packet) == nullptr);
  rte_pktmbuf_free(packet);
}

TEST_CASE("a frame becomes writable in one piece, and shorter", "[dataplane][frames]") {
  FramesBench b;
  rte_mbuf* const packet = b.packet({80, 1000, 4});
  const Bytes before = test::bytes_of(packet);
  rte_mbuf* const shared = packet->next;
  rte_mbuf_refcnt_update(shared, 1);
  fabric::Frame* const frame = b.frames.adopt(packet);
  REQUIRE(frame != nullptr);
  const MutableByteSpan bytes = b.frames.writable(*frame);
  REQUIRE(bytes.size() == before.size());
  CHECK(std::equal(bytes.begin(), bytes.end(), before.begin()));
  CHECK((frame->header == bytes.data() && frame->header_length == bytes.size()));
  bytes[500] ^= 0xff;
  CHECK(*rte_pktmbuf_mtod_offset(shared, std::uint8_t*, 420) == before[500]);
  rte_pktmbuf_free_seg(shared);
  CHECK(b.frames.writable(*frame).data() == bytes.data());
  b.frames.shorten(*frame, 600);
  CHECK((frame->length == 600 && frame->header_length == 600));
  Bytes changed(before.begin(), before.begin() + 600);
  changed[500] ^= 0xff;
  CHECK(taken(b.frames, frame) == changed);
  CHECK(b.out() == 0);
}

TEST_CASE("a frame that is too long for one piece is not writable", "[dataplane][frames]") {
  FramesBench b;
  rte_mbuf* const packet = b.packet({4000, 4000});
  const Bytes before = test::bytes_of(packet);
  fabric::Frame* const frame = b.frames.adopt(packet);
  REQUIRE(frame != nullptr);
  CHECK(b.frames.writable(*frame).empty());
  CHECK(taken(b.frames, frame) == before);
}
