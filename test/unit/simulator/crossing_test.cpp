// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/crossing.hpp"

#include <numeric>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using simulator::CrossingCodec;
using simulator::FramePool;
using simulator::PoolFrame;

namespace {

struct TwoSides {
  std::vector<std::uint8_t> near_arena = std::vector<std::uint8_t>(8192, 7);
  std::vector<std::uint8_t> far_arena = std::vector<std::uint8_t>(8192, 7);
  CrossingCodec near_side{{ByteSpan(near_arena)}};
  CrossingCodec far_side{{ByteSpan(far_arena)}};
  FramePool pool;
  std::vector<std::uint8_t> wire;

  PoolFrame* frame(const std::uint8_t* payload, bool transient) {
    PoolFrame* const f = pool.acquire();
    engine::TxFrame out;
    out.header = f->header;
    std::iota(out.header, out.header + 54, std::uint8_t{0});
    out.header_length = 54;
    out.payload = payload;
    out.payload_length = 4096;
    out.transient_payload = transient;
    out.trailer = {1, 2, 3, 4};
    out.trailer_length = 4;
    out.message = 99;
    out.icrc_right = true;
    FramePool::fill(*f, out);
    f->at = 5 * kMicrosecond;
    f->destination = 3;
    f->dscp = 26;
    f->facts = 9;
    return f;
  }
  fabric::Network::Departure pass(PoolFrame* f) {
    near_side.write({6, f, true, fabric::FlowKey{1, 3, 17}, 0}, wire);
    ArchiveReader in(wire);
    CHECK(CrossingCodec::direction_of_next(in) == 6);
    auto entered = far_side.read(in, pool);
    CHECK(in.empty());
    return entered;
  }
};

std::vector<std::uint8_t> contents(const PoolFrame& frame) {
  const Segments s = frame.segments();
  std::vector<std::uint8_t> out(s.size());
  s.copy(0, out.size(), out.data());
  return out;
}

}  // namespace

TEST_CASE("a frame crosses with a payload in the arena, which is not copied", "[crossing]") {
  TwoSides t;
  PoolFrame* const sent = t.frame(&t.near_arena[1000], false);
  const auto entered = t.pass(sent);
  const auto& got = static_cast<const PoolFrame&>(*entered.frame);
  CHECK(t.wire.size() < 200);
  CHECK(got.payload == &t.far_arena[1000]);
  CHECK(contents(got) == contents(*sent));
  CHECK(got.at == 5 * kMicrosecond);
  CHECK(got.length == sent->length);
  CHECK(got.message == 99);
  CHECK(got.icrc_right);
  CHECK(got.destination == 3);
  CHECK(got.dscp == 26);
  CHECK(got.facts == 9);
  CHECK(entered.direction == 6);
  CHECK(entered.late);
  REQUIRE(entered.flow);
  CHECK(entered.flow->qpn == 17);
}

TEST_CASE("a frame crosses with a payload of its own, a flipped bit, or a changed header", "[crossing]") {
  TwoSides t;
  const std::vector<std::uint8_t> elsewhere(4096, 8);
  PoolFrame* const sent = t.frame(elsewhere.data(), true);
  SECTION("its own") {}
  SECTION("a flipped bit") { t.pool.corrupt(*sent, 8 * 500); }
  SECTION("in one piece, as a rule leaves it") { t.pool.writable(*sent)[60] = 1; }
  SECTION("shortened") {
    t.pool.writable(*sent);
    t.pool.shorten(*sent, 100);
  }
  const auto before = contents(*sent);
  const auto& got = static_cast<const PoolFrame&>(*t.pass(sent).frame);
  CHECK(contents(got) == before);
  CHECK(got.length == before.size());
  CHECK(got.icrc_right == sent->icrc_right);
}

TEST_CASE("a frame with a payload that the other side lacks is refused", "[crossing]") {
  TwoSides t;
  t.near_side.write({6, t.frame(&t.near_arena[4096], false), false, std::nullopt, 0}, t.wire);
  const std::vector<std::uint8_t> small(100);
  const CrossingCodec other({ByteSpan(small)});
  ArchiveReader in(t.wire);
  CHECK_THROWS_AS(other.read(in, t.pool), std::runtime_error);
  ArchiveReader cut(ByteSpan(t.wire).first(20));
  CHECK_THROWS_AS(t.far_side.read(cut, t.pool), std::runtime_error);
}
