// SPDX-License-Identifier: BSD-3-Clause
#include "detector/fragment_fifo.hpp"

#include "detector/camera_busy.hpp"
#include "support/counting_memory.hpp"

#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using softfeb::test::CountingMemory;

namespace {

constexpr Time kReadout = kMicrosecond + 64 * kNanosecond;

FragmentFifoConfig small_fifo(std::uint32_t fifo = 2) {
  return {.layout = {.boards = 3, .builders = 2, .slots = 4, .slot = 1024, .piece = 300},
          .board = 1,
          .fifo = fifo,
          .run = 9,
          .origin = {100, 0}};
}

Trigger trigger_at(Time t, std::uint64_t event) { return {event, t, EventType::kSubarray}; }

std::vector<FragmentPiece> post_all(FragmentFifo& fifo) {
  std::vector<FragmentPiece> out;
  for (; fifo.has_piece(); fifo.pop()) out.push_back(fifo.piece());
  return out;
}

}  // namespace

TEST_CASE("an event is contiguous in the memory of its builder", "[detector][fifo]") {
  constexpr EventLayout l{.boards = 3, .builders = 2, .slots = 4, .slot = 1024, .piece = 300};
  STATIC_REQUIRE(l.memory() == 4 * 3 * 1024);
  STATIC_REQUIRE(l.builder_of(5) == 1);
  STATIC_REQUIRE(l.address_of(5, 1) == (2 * 3 + 1) * 1024);
  STATIC_REQUIRE(l.address_of(8, 0) == 0);
  STATIC_REQUIRE(l.piece_address(2) == 2 * 364);
  STATIC_REQUIRE(l.pieces_of(0) == 1);
  STATIC_REQUIRE(l.pieces_of(300) == 1);
  STATIC_REQUIRE(l.pieces_of(301) == 2);
  STATIC_REQUIRE(l.piece_length(1, 301) == 1);
  STATIC_REQUIRE(l.largest() == 2 * 300 + 1024 - 2 * 364 - 64);
}

TEST_CASE("a slot holds the largest fragment and not a byte more", "[detector][fifo]") {
  for (std::uint32_t slot = 64; slot < 1200; ++slot) {
    const EventLayout l{.slot = slot, .piece = 300};
    const auto end = [&l](std::uint32_t total) {
      const std::uint32_t last = l.pieces_of(total) - 1;
      return l.piece_address(last) + kEventHeaderSize + l.piece_length(last, total);
    };
    CHECK(end(l.largest()) <= slot);
    CHECK(end(l.largest() + 1) > slot);
  }
}

TEST_CASE("impossible FIFOs are refused", "[detector][fifo]") {
  const auto make = [](auto change) {
    FragmentFifoConfig c = small_fifo();
    change(c);
    FragmentFifo fifo(c);
  };
  CHECK_THROWS_AS(make([](auto& c) { c.fifo = 0; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](auto& c) { c.busy_at = 0; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](auto& c) { c.board = 3; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](auto& c) { c.layout.slot = 63; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](auto& c) { c.layout.builders = 0; }), std::invalid_argument);
}

TEST_CASE("a fragment is ready after its window and the readout", "[detector][fifo]") {
  FragmentFifo fifo(small_fifo());
  CHECK(fifo.next_ready() == kNever);
  fifo.trigger(trigger_at(5000, 7), 20);
  CHECK(fifo.next_ready() == 5000 + kReadout);
  fifo.advance(5000 + kReadout - 1);
  CHECK_FALSE(fifo.has_piece());
  fifo.advance(5000 + kReadout);
  REQUIRE(fifo.has_piece());
  const FragmentPiece p = fifo.piece();
  CHECK(p.event == 7);
  CHECK(p.builder == 1);
  CHECK(p.address == (3 * 3 + 1) * 1024);
  CHECK(p.length == 20);
  CHECK(p.last);
  const EventHeader h = fifo.header(p.place, p.index, 42);
  CHECK(h.board == 1);
  CHECK(h.run == 9);
  CHECK(h.type == EventType::kSubarray);
  CHECK(h.time == EventTime{100, 20});
  CHECK(h.total == 20);
  CHECK(h.flags == 0);
  CHECK(h.payload_crc == 42);
}

TEST_CASE("long fragments take several pieces, and are cut at the slot", "[detector][fifo]") {
  FragmentFifo fifo(small_fifo());
  fifo.trigger(trigger_at(0, 0), 2000);
  fifo.advance(kReadout);
  const auto pieces = post_all(fifo);
  REQUIRE(pieces.size() == 3);
  std::uint32_t total = 0;
  for (std::uint32_t j = 0; j < 3; ++j) {
    CHECK(pieces[j].index == j);
    CHECK(pieces[j].offset == total);
    CHECK(pieces[j].address == 1024 + j * 364);
    CHECK(pieces[j].last == (j == 2));
    total += pieces[j].length;
  }
  const EventHeader h = fifo.header(pieces[1].place, 1, 0);
  CHECK(total == h.total);
  CHECK(h.total == small_fifo().layout.largest());
  CHECK(h.offset == 300);
  CHECK(h.flags == (kCut | kSegmented));
  CHECK(fifo.counts().cut == 1);
  CHECK_FALSE(fifo.complete(pieces[0].place, kReadout, 2));
  CHECK(fifo.used() == 1);
  CHECK(fifo.complete(pieces[0].place, kReadout));
  CHECK(fifo.used() == 0);
}

TEST_CASE("a full FIFO loses the event, and later headers say so", "[detector][fifo]") {
  FragmentFifo fifo(small_fifo());
  for (std::uint64_t e = 0; e < 3; ++e) fifo.trigger(trigger_at(e * kMicrosecond, e), 0);
  const Time third = 2 * kMicrosecond + kReadout;
  fifo.advance(third);
  const auto pieces = post_all(fifo);
  REQUIRE(pieces.size() == 2);
  CHECK(fifo.counts().lost == 1);
  CHECK(fifo.header(pieces[1].place, 0, 0).lost == 0);  // this fragment entered the FIFO before the loss
  fifo.complete(pieces[0].place, third);
  fifo.trigger(trigger_at(3 * kMicrosecond, 3), 0);
  fifo.advance(4 * kMicrosecond + kReadout);
  const EventHeader h = fifo.header(fifo.piece().place, 0, 0);
  CHECK(h.event == 3);
  CHECK(h.lost == 1);
  CHECK(h.flags == kThrottled);
}

TEST_CASE("a place freed at an instant comes too late for a fragment of that instant", "[detector][fifo]") {
  FragmentFifo fifo(small_fifo(1));
  fifo.trigger(trigger_at(0, 0), 0);
  fifo.trigger(trigger_at(kMicrosecond, 1), 0);
  fifo.advance(kReadout);
  fifo.complete(post_all(fifo)[0].place, kMicrosecond + kReadout);
  CHECK(fifo.counts().lost == 1);
}

TEST_CASE("overlapping windows and crowded readout", "[detector][fifo]") {
  FragmentFifoConfig config = small_fifo();
  config.pipeline = 2;
  FragmentFifo fifo(config);
  fifo.trigger(trigger_at(0, 0), 0);
  fifo.trigger(trigger_at(63'999, 1), 0, kSuppressed);
  fifo.trigger(trigger_at(63'999 + 64'000, 2), 0);
  CHECK(fifo.counts().lost_in_readout == 1);
  CHECK(fifo.counts().lost == 1);
  fifo.advance(kMillisecond);
  const auto pieces = post_all(fifo);
  REQUIRE(pieces.size() == 2);
  CHECK((fifo.header(pieces[0].place, 0, 0).flags & kOverlaps) == 0);
  CHECK((fifo.header(pieces[1].place, 0, 0).flags & (kOverlaps | kSuppressed)) == (kOverlaps | kSuppressed));
}

TEST_CASE("a board is busy between busy_at and the next completion", "[detector][fifo]") {
  FragmentFifoConfig config = small_fifo();
  config.busy_at = 2;
  FragmentFifo fifo(config);
  fifo.trigger(trigger_at(0, 0), 0);
  fifo.trigger(trigger_at(kMicrosecond, 1), 0);
  fifo.advance(kReadout);
  CHECK_FALSE(fifo.busy());
  fifo.advance(kMillisecond);
  CHECK(fifo.busy());
  CHECK(fifo.busy_since() == kMicrosecond + kReadout);
  fifo.complete(post_all(fifo)[0].place, kMillisecond);
  CHECK_FALSE(fifo.busy());
  CHECK(fifo.counts().busy_time == kMillisecond - kMicrosecond - kReadout);
}

TEST_CASE("the camera's veto lasts until no board is busy", "[detector][fifo]") {
  TriggerSequence sequence({{.kind = TriggerSourceConfig::Kind::kPeriodic, .rate_hz = 1'000'000}}, 0);
  CameraBusy camera(sequence, 3, kMicrosecond);
  const auto count = [&](Time end) {
    std::size_t n = 0;
    while (sequence.accept_before(end)) ++n;
    return n;
  };
  CHECK(count(10 * kMicrosecond) == 10);
  camera.report(0, true, 10 * kMicrosecond);
  CHECK(count(12 * kMicrosecond) == 1);  // the trigger at 10 µs, because the veto begins at 11 µs
  camera.report(2, true, 12 * kMicrosecond);
  camera.report(2, true, 13 * kMicrosecond);  // board 2 reports a second time that it is busy
  camera.report(0, false, 13 * kMicrosecond);
  CHECK(camera.busy_boards() == 1);
  CHECK(count(20 * kMicrosecond) == 0);
  camera.report(2, false, 20 * kMicrosecond);
  CHECK(count(30 * kMicrosecond) == 10);
  CHECK(camera.busy_time(30 * kMicrosecond) == 10 * kMicrosecond);
  CHECK_FALSE(camera.report(3, true, 30 * kMicrosecond));
  CHECK(camera.rejected() == 1);
}

TEST_CASE("with a veto, no board loses an event", "[detector][fifo]") {
  // Triggers arrive at 1 MHz, but WRITEs of the board complete only every 3 µs. When the board becomes busy,
  // up to two fragments are in readout. Another trigger may be accepted before the veto takes effect. The
  // FIFO therefore needs three more places than busy_at.
  CountingMemory memory;
  FragmentFifoConfig config = small_fifo(7);
  config.busy_at = 4;
  FragmentFifo fifo(config, &memory);
  TriggerSequence sequence({{.rate_hz = 1'000'000, .seed = 3}}, 500 * kNanosecond);
  CameraBusy camera(sequence, 1, kMicrosecond);
  const std::size_t made = memory.allocations();
  std::vector<std::uint32_t> posted;
  Time completion = kNever;
  std::uint64_t events = 0;
  for (Time now = 0; now < 10 * kMillisecond;) {
    now = std::min({sequence.next(), fifo.next_ready(), completion});
    while (const auto t = sequence.accept_before(now + 1)) {
      fifo.trigger(*t, 100);
      ++events;
    }
    fifo.advance(now);
    for (; fifo.has_piece(); fifo.pop()) posted.push_back(fifo.piece().place);
    if (completion <= now) {
      fifo.complete(posted.front(), now);
      posted.erase(posted.begin());
      completion = kNever;
    }
    if (!posted.empty() && completion == kNever) completion = now + 3 * kMicrosecond;
    camera.report(0, fifo.busy(), now);
  }
  CHECK(fifo.counts().lost == 0);
  CHECK(sequence.counts()[0].busy > 1000);
  CHECK(events == Approx(3333).epsilon(0.02));
  CHECK(fifo.counts().most > 4);
  CHECK(memory.allocations() == made);
}
