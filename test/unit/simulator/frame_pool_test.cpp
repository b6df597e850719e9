// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/frame_pool.hpp"

#include <cstring>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using simulator::FramePool;
using simulator::PoolFrame;

namespace {

std::vector<std::uint8_t> bytes_of(const PoolFrame& frame) {
  const Segments s = frame.segments();
  std::vector<std::uint8_t> out(s.size());
  s.copy(0, out.size(), out.data());
  return out;
}

/// Returns a frame with 54 bytes of headers, the payload, and 4 bytes of trailer.
PoolFrame* crafted(FramePool& pool, const std::vector<std::uint8_t>& payload, bool transient = false) {
  PoolFrame* const frame = pool.acquire();
  REQUIRE(frame != nullptr);
  engine::TxFrame out;
  out.header = frame->header;
  std::iota(out.header, out.header + 54, 0);
  out.header_length = 54;
  out.payload = payload.data();
  out.payload_length = static_cast<std::uint32_t>(payload.size());
  out.transient_payload = transient;
  out.trailer = {1, 2, 3, 4};
  out.trailer_length = 4;
  FramePool::fill(*frame, out);
  return frame;
}

std::vector<std::uint8_t> hundred() {
  std::vector<std::uint8_t> payload(100);
  std::iota(payload.begin(), payload.end(), 100);
  return payload;
}

}  // namespace

TEST_CASE("a frame refers to its payload, unless that is transient") {
  FramePool pool;
  auto payload = hundred();
  PoolFrame* const refers = crafted(pool, payload);
  PoolFrame* const owns = crafted(pool, payload, true);
  CHECK(refers->length == 158);
  CHECK(refers->payload == payload.data());
  CHECK(owns->payload != payload.data());
  const auto before = bytes_of(*owns);
  CHECK(bytes_of(*refers) == before);
  payload[0] = 0xff;
  CHECK(bytes_of(*owns) == before);
}

TEST_CASE("a copy is independent of its original") {
  FramePool pool;
  const auto payload = hundred();
  PoolFrame* const a = crafted(pool, payload);
  auto* const b = static_cast<PoolFrame*>(pool.copy(*a));
  REQUIRE(b != nullptr);
  const auto before = bytes_of(*a);
  CHECK(bytes_of(*b) == before);
  b->header[20] ^= 1;
  REQUIRE(pool.corrupt(*b, (90 - 14) * 8));
  CHECK(bytes_of(*a) == before);
  auto* const c = static_cast<PoolFrame*>(pool.copy(*b));
  CHECK(bytes_of(*c) == bytes_of(*b));
  const auto after = bytes_of(*c);
  pool.release(b);
  CHECK(bytes_of(*crafted(pool, std::vector<std::uint8_t>(100, 0), true)).size() == 158);
  CHECK(bytes_of(*c) == after);
}

TEST_CASE("corruption flips exactly one bit after the Ethernet header, and preserves the source") {
  FramePool pool;
  const auto payload = hundred();
  for (std::uint64_t random = 0; random < 2 * (158 - 14) * 8; ++random) {
    PoolFrame* const frame = crafted(pool, payload);
    const auto before = bytes_of(*frame);
    REQUIRE(pool.corrupt(*frame, random));
    const auto after = bytes_of(*frame);
    unsigned flipped = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      flipped += static_cast<unsigned>(__builtin_popcount(before[i] ^ after[i]));
    REQUIRE(flipped == 1);
    REQUIRE(std::memcmp(before.data(), after.data(), 14) == 0);
    pool.release(frame);
  }
  CHECK(payload == hundred());
  CHECK(pool.in_use() == 0);
}

TEST_CASE("frames created by the network are copied; a limit holds") {
  FramePool pool(1024);
  const std::vector<std::uint8_t> pause(60, 7);
  auto* const made = static_cast<PoolFrame*>(pool.make(pause));
  REQUIRE(made != nullptr);
  CHECK(bytes_of(*made) == pause);
  CHECK(pool.make(std::vector<std::uint8_t>(engine::TxFrame::kHeaderRoom + 1, 0)) == nullptr);
  for (std::size_t i = 1; i < 1024; ++i) REQUIRE(pool.acquire() != nullptr);
  CHECK(pool.acquire() == nullptr);
  CHECK(pool.make(pause) == nullptr);
  CHECK(pool.copy(*made) == nullptr);
  CHECK(pool.in_use() == 1024);
  pool.release(made);
  CHECK(pool.acquire() != nullptr);
}

TEST_CASE("a frame becomes writable in one piece, and shorter") {
  FramePool pool;
  const auto payload = hundred();
  for (const bool transient : {false, true}) {
    PoolFrame* const frame = crafted(pool, payload, transient);
    const auto before = bytes_of(*frame);
    const MutableByteSpan bytes = pool.writable(*frame);
    REQUIRE(bytes.size() == 158);
    CHECK(std::equal(bytes.begin(), bytes.end(), before.begin()));
    CHECK(frame->header == bytes.data());
    CHECK(frame->header_length == 158);
    bytes[60] ^= 0xff;
    CHECK(payload == hundred());
    CHECK(pool.writable(*frame).data() == bytes.data());
    auto* const copy = static_cast<PoolFrame*>(pool.copy(*frame));
    CHECK(bytes_of(*copy) == bytes_of(*frame));
    bytes[60] ^= 0xff;
    CHECK(bytes_of(*frame) == before);
    CHECK(bytes_of(*copy) != before);
    CHECK(pool.corrupt(*frame, 8 * 90));
    pool.shorten(*frame, 20);
    CHECK(frame->length == 20);
    CHECK(bytes_of(*frame) == std::vector<std::uint8_t>(before.begin(), before.begin() + 20));
    pool.release(frame);
    pool.release(copy);
  }
  // After its return to the pool, a frame uses its own room for headers again.
  PoolFrame* const next = crafted(pool, payload);
  CHECK(next->header == next->room.data());
  next->length = UINT16_MAX + 1;
  CHECK(pool.writable(*next).empty());
}

TEST_CASE("an iCRC is known to be right until its frame is changed", "[frame_pool]") {
  FramePool pool;
  const auto payload = hundred();
  const auto checked = [&] {
    PoolFrame* const frame = pool.acquire();
    CHECK_FALSE(frame->icrc_right);
    engine::TxFrame out;
    out.header = frame->header;
    out.header_length = 54;
    out.payload = payload.data();
    out.payload_length = static_cast<std::uint32_t>(payload.size());
    out.trailer_length = 4;
    out.icrc_right = true;
    FramePool::fill(*frame, out);
    REQUIRE(frame->icrc_right);
    return frame;
  };
  PoolFrame* const frame = checked();
  CHECK(static_cast<PoolFrame*>(pool.copy(*frame))->icrc_right);
  REQUIRE(pool.corrupt(*frame, 8 * 90));
  CHECK_FALSE(frame->icrc_right);
  CHECK_FALSE(static_cast<PoolFrame*>(pool.copy(*frame))->icrc_right);
  PoolFrame* const writable = checked();
  REQUIRE_FALSE(pool.writable(*writable).empty());
  CHECK_FALSE(writable->icrc_right);
  PoolFrame* const shorter = checked();
  pool.shorten(*shorter, 60);
  CHECK_FALSE(shorter->icrc_right);
  // A frame that returns to the pool does not keep the flag icrc_right.
  pool.release(checked());
  CHECK_FALSE(pool.acquire()->icrc_right);
}

TEST_CASE("a pool has room for an ARP request of every station to all others", "[frame_pool]") {
  CHECK(FramePool::limit_for(143) == FramePool::kMost);
  CHECK(FramePool::limit_for(1280) > 1280 * 1280);
  CHECK(FramePool::limit_for(100'000) == 4 * FramePool::kMost);
}
