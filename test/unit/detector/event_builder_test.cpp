// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_builder.hpp"

#include "base/rng.hpp"
#include "support/counting_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using softfeb::test::CountingMemory;

namespace {

using Range = UnseenEvents::Range;
using Verdict = FragmentVerdict;

EventBuilderConfig small_builder() {
  return {.boards = 2, .piece = 100, .largest = 1000, .window = 4, .remember = 4};
}

class Statuses : public EventSink {
 public:
  void on_closed(const ClosedEvent& e) override {
    text += std::to_string(e.event()) + std::string(" ") + to_string(e.status()) + "; ";
  }
  std::string text;
};

std::vector<Range> ranges_of(const EventBuilder& b) {
  return {b.unseen().ranges().begin(), b.unseen().ranges().end()};
}

/// Completes an event by adding an empty fragment from each of the two boards.
void add_whole(EventBuilder& b, Time now, std::uint64_t event) {
  b.add(now, {.event = event, .board = 0});
  b.add(now, {.event = event, .board = 1});
}

}  // namespace

TEST_CASE("impossible builders are refused", "[detector][builder]") {
  const auto make = [](EventBuilderConfig c) { EventBuilder builder(c, nullptr); };
  CHECK_THROWS_AS(make({.boards = 0}), std::invalid_argument);
  CHECK_THROWS_AS(make({.piece = 0}), std::invalid_argument);
  CHECK_THROWS_AS(make({.window = 0}), std::invalid_argument);
  CHECK_THROWS_AS(make({.builders = 2, .builder = 2}), std::invalid_argument);
}

TEST_CASE("the deadline is that of the event opened first", "[detector][builder]") {
  Statuses sink;
  EventBuilder b(small_builder(), &sink);
  CHECK(b.deadline() == kNever);
  b.add(10, {.event = 5});
  b.add(20, {.event = 3});
  CHECK(b.deadline() == 10 + 5 * kMillisecond);
  b.advance(b.deadline() - 1);
  CHECK(sink.text.empty());
  b.advance(b.deadline());
  CHECK(sink.text == "5 timeout; ");
  CHECK(b.deadline() == 20 + 5 * kMillisecond);
}

TEST_CASE("totals beyond the slot and sums that wrap are rejected", "[detector][builder]") {
  EventBuilder b(small_builder(), nullptr);
  CHECK(b.add(1, {.event = 0, .offset = 0, .length = 100, .total = 1001}) == Verdict::kRejectedBounds);
  CHECK(b.add(1, {.event = 0, .offset = UINT32_MAX - 99, .length = 100, .total = 60}) ==
        Verdict::kRejectedBounds);
  CHECK(b.add(1, {.event = 0, .offset = 900, .length = 100, .total = 1000}) == Verdict::kAccepted);
  CHECK(b.counts()[Verdict::kRejectedBounds] == 2);
}

TEST_CASE("a builder among several takes its own events", "[detector][builder]") {
  EventBuilderConfig config = small_builder();
  config.builders = 3;
  config.builder = 1;
  config.slots = 2;
  Statuses sink;
  EventBuilder b(config, &sink);
  CHECK(b.add(1, {.event = 2}) == Verdict::kRejectedEvent);
  CHECK(b.add(1, {.event = 1}) == Verdict::kAccepted);   // event number 0 of this builder, slot 0
  CHECK(b.add(1, {.event = 10}) == Verdict::kAccepted);  // event number 3, slot 1
  CHECK(b.add(1, {.event = 7}) == Verdict::kAccepted);   // event number 2, slot 0
  CHECK(sink.text == "1 pressure; ");
  b.finish(2, 12);  // of 12 events, this builder gets 1, 4, 7 and 10
  CHECK(ranges_of(b) == std::vector<Range>{{1, 1}});
}

TEST_CASE("triggers never seen are counted to the end of the run", "[detector][builder]") {
  EventBuilder b(small_builder(), nullptr);
  for (const std::uint64_t e : {1, 2, 3, 9, 8, 20}) add_whole(b, e, e);
  // Unseen events are counted only up to event 2, the latest event that the builder has forgotten.
  CHECK(ranges_of(b) == std::vector<Range>{{0, 0}});
  SECTION("of which more were sent") {
    b.finish(100, 25);
    CHECK(ranges_of(b) == std::vector<Range>{{0, 0}, {4, 7}, {10, 19}, {21, 24}});
    CHECK(b.unseen().count() == 1 + 4 + 10 + 4);
  }
  SECTION("of unknown length") {
    b.finish(100, std::nullopt);
    CHECK(ranges_of(b).back() == Range{10, 19});
  }
  SECTION("that ends before a false event number") {
    b.finish(100, 6);
    CHECK(ranges_of(b) == std::vector<Range>{{0, 0}, {4, 5}});
    CHECK(b.unseen().count() == 3);
  }
}

TEST_CASE("a false event number beyond all others leaves the counts right", "[detector][builder]") {
  EventBuilderConfig config = small_builder();
  config.remember = 0;
  EventBuilder b(config, nullptr);
  add_whole(b, 1, UINT64_MAX);
  CHECK(b.add(2, {.event = 5}) == Verdict::kStale);
  CHECK(b.unseen().count() == UINT64_MAX);
  b.finish(3, 10);
  CHECK(ranges_of(b) == std::vector<Range>{{0, 9}});
  CHECK(b.unseen().count() == 10);
}

TEST_CASE("ranges that do not fit are counted", "[detector][builder]") {
  EventBuilderConfig config = small_builder();
  config.unseen_ranges = 3;
  EventBuilder b(config, nullptr);
  for (std::uint64_t e = 1; e < 20; e += 2) add_whole(b, e, e);
  b.finish(100, 20);
  CHECK(ranges_of(b) == std::vector<Range>{{0, 0}, {2, 2}, {4, 4}});
  CHECK(b.unseen().count() == 10);
  CHECK(b.unseen().unlisted() == 7);
}

TEST_CASE("a clock that steps back is counted, and time stands still", "[detector][builder]") {
  EventBuilder b(small_builder(), nullptr);
  b.add(1000, {.event = 0, .board = 0, .trigger = 2000});
  b.add(500, {.event = 0, .board = 1, .trigger = 2000});
  CHECK(b.counts().clock_steps == 1);
  CHECK(b.counts().early == 1);
  CHECK(b.latencies().percentiles().max == 0);
}

TEST_CASE("percentiles are exact by nearest rank, then close", "[detector][builder]") {
  CountingMemory memory;
  LatencySummary exact(1000, &memory), rough(10, &memory);
  CHECK(exact.percentiles() == LatencyPercentiles{});
  for (Time i = 1000; i >= 1; --i) {
    exact.add(i * kMicrosecond);
    rough.add(i * kMicrosecond);
  }
  CHECK(memory.allocations() == 2);
  CHECK(exact.percentiles() == LatencyPercentiles{kMicrosecond, 500 * kMicrosecond, 900 * kMicrosecond,
                                                  990 * kMicrosecond, 999 * kMicrosecond, kMillisecond});
  const LatencyPercentiles p = rough.percentiles();
  CHECK(p.min == kMicrosecond);
  CHECK(p.max == kMillisecond);
  for (const auto& [is, should] : {std::pair{p.p50, 500}, {p.p90, 900}, {p.p99, 990}, {p.p999, 999}})
    CHECK(static_cast<double>(is) == Approx(should * 1e6).epsilon(0.008));
}

/// Hands out memory in which every byte is 0xa5.
class MarkedMemory final : public std::pmr::memory_resource {
 public:
  /// Number of words that have not been written.
  std::ptrdiff_t untouched() const { return std::count(words_.begin(), words_.end(), kMark); }

 private:
  static constexpr std::uint64_t kMark = 0xa5a5'a5a5'a5a5'a5a5;

  void* do_allocate(std::size_t bytes, std::size_t) override {
    words_.assign(bytes / sizeof(std::uint64_t), kMark);
    return words_.data();
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::vector<std::uint64_t> words_;
};

TEST_CASE("the memory of latencies is touched before the run", "[detector][builder]") {
  MarkedMemory memory;
  LatencySummary summary(65536, &memory);
  CHECK(memory.untouched() == 0);
  CHECK(summary.count() == 0);
}

TEST_CASE("a board's bitmap may have several words", "[detector][builder]") {
  EventBuilderConfig config = small_builder();
  config.boards = 1;
  config.piece = 10;
  class Gaps : public EventSink {
   public:
    void on_closed(const ClosedEvent& e) override {
      for (std::uint32_t k = e.find_missing(0, 0); k < e.pieces(0);) {
        const std::uint32_t end = e.find_present(0, k);
        gaps.push_back({k, end - 1});
        k = e.find_missing(0, end);
      }
    }
    std::vector<Range> gaps;
  } sink;
  EventBuilder b(config, &sink);
  for (std::uint32_t k = 0; k < 100; ++k) {
    if (k == 0 || k == 63 || (k >= 65 && k < 99)) continue;
    b.add(1, {.event = 0, .offset = 10 * k, .length = 10, .total = 1000});
  }
  b.finish(2, 1);
  CHECK(sink.gaps == std::vector<Range>{{0, 0}, {63, 63}, {65, 98}});
}

TEST_CASE("a builder allocates only when it is made", "[detector][builder]") {
  CountingMemory memory;
  EventBuilderConfig config = small_builder();
  config.slots = 8;
  EventBuilder b(config, nullptr, &memory);
  const std::size_t made = memory.allocations();
  Rng rng(4);
  for (Time t = 0; t < 20'000; ++t) {
    const std::uint64_t event = t / 40 + rng.below(6);
    const auto board = static_cast<std::uint32_t>(rng.below(2));
    b.add(t * kMicrosecond, {.event = event, .board = board, .length = 7, .total = 7});
  }
  CHECK(b.counts()[EventStatus::kComplete] > 100);
  b.finish(kSecond, 600);
  CHECK(memory.allocations() == made);
}
