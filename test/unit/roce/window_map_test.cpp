// SPDX-License-Identifier: BSD-3-Clause
#include "roce/window_map.hpp"

#include "counting_memory.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

using Verdict = WindowVerdict;
using Range = MessageMap::Range;

struct Closed {
  std::uint64_t first, last;
  WindowStatus status;
  std::uint64_t streams;
  bool operator==(const Closed&) const = default;
};

class Collector : public WindowConsumer {
 public:
  void closed(const ClosedWindows& w) override { all.push_back({w.first, w.last, w.status, w.streams[0]}); }
  std::vector<Closed> all;
};

WindowMapConfig two_streams() { return {.streams = 2, .ring = 4, .depth = 2, .packets_per_message = 3}; }

std::vector<Range> ranges(const WindowMap& map, std::uint32_t stream) {
  return {map.missing(stream).begin(), map.missing(stream).end()};
}

}  // namespace

TEST_CASE("windows close in order, with a bitmap", "[windows]") {
  Collector consumer;
  WindowMap map(two_streams(), &consumer);
  CHECK(map.message(1, 0, 0, 100) == Verdict::kMarked);
  CHECK(map.message(2, 1, 0, 100) == Verdict::kMarked);  // makes window 0 full
  CHECK(map.message(3, 0, 1, 100) == Verdict::kMarked);
  CHECK(map.message(4, 0, 1, 100) == Verdict::kDuplicate);
  CHECK(map.message(5, 0, 3, 100) == Verdict::kMarked);  // closes window 1 to make room for window 3
  CHECK(map.message(6, 1, 1, 100) == Verdict::kLate);
  map.finish(7, 5);
  CHECK(consumer.all == std::vector<Closed>{{0, 0, WindowStatus::kFull, 3},
                                            {1, 1, WindowStatus::kGap, 1},
                                            {2, 2, WindowStatus::kEnd, 0},
                                            {3, 3, WindowStatus::kEnd, 1},
                                            {4, 4, WindowStatus::kEnd, 0}});
  CHECK(ranges(map, 0) == std::vector<Range>{{2, 2}, {4, 4}});
  CHECK(ranges(map, 1) == std::vector<Range>{{1, 4}});
  CHECK(map.counters().goodput_bytes == 400);
  CHECK(map.counters().missing == 6);
}

TEST_CASE("a jump closes empty windows together", "[windows]") {
  Collector consumer;
  WindowMap map(two_streams(), &consumer);
  map.message(1, 0, 1, 1);
  CHECK(map.message(2, 1, 1'000'000, 1) == Verdict::kMarked);
  CHECK(consumer.all.front() == Closed{0, 0, WindowStatus::kForced, 0});
  CHECK(consumer.all[1] == Closed{1, 1, WindowStatus::kForced, 1});
  CHECK(consumer.all[2] == Closed{2, 999'996, WindowStatus::kForced, 0});
  CHECK(consumer.all.size() == 5);  // one call for all empty windows; the last two calls report gaps
  CHECK(map.base() == 999'999);
  CHECK(ranges(map, 1) == std::vector<Range>{{0, 999'998}});
  CHECK(map.counters().windows() == 999'999);
}

TEST_CASE("an immediate that is too far away changes nothing", "[windows]") {
  WindowMapConfig config = two_streams();
  config.max_jump = 10;
  config.first_immediate = 5;
  WindowMap map(config);
  CHECK(map.message(1, 0, 4, 1) == Verdict::kWrongImmediate);  // would be the immediate of message −1
  CHECK(map.message(2, 0, 16, 1) == Verdict::kWrongImmediate);
  CHECK(map.message(3, 0, 15, 1) == Verdict::kMarked);
  CHECK(map.counters().wrong_immediate == 2);
}

TEST_CASE("a message whose PSN disagrees with its number is counted", "[windows]") {
  WindowMap map(two_streams());
  map.message(1, 0, 0, 1, 2);
  map.message(2, 0, 1, 1, 5);
  CHECK(map.counters().inconsistent == 0);
  map.message(3, 0, 2, 1, 5);
  CHECK(map.counters().inconsistent == 1);
}

TEST_CASE("ranges beyond the room are counted", "[windows]") {
  WindowMapConfig config = two_streams();
  config.ranges_per_stream = 1;
  WindowMap map(config);
  for (std::uint32_t n = 0; n < 10; n += 2) map.message(n, 0, n, 1);
  map.finish(100, 10);
  CHECK(ranges(map, 0) == std::vector<Range>{{1, 1}});
  CHECK(map.unlisted(0) == 4);
  CHECK(map.unlisted(1) == 0);  // the missing windows form one range
}

TEST_CASE("a window map allocates only when it is made", "[windows]") {
  softfeb::test::CountingMemory memory;
  WindowMapConfig config{.streams = 100, .ring = 16, .depth = 8};
  WindowMap map(config, nullptr, &memory);
  const std::size_t allocated = memory.allocations();
  for (std::uint32_t k = 0; k < 20'000; ++k) map.message(k, (k * 37) % 100, k / 100 + (k % 977 == 0) * 50, 1);
  map.finish(20'000, 300);
  CHECK(map.counters().missing > 0);
  CHECK(memory.allocations() == allocated);
}

TEST_CASE("a window map checks its configuration", "[windows]") {
  CHECK_THROWS(WindowMap({.streams = 0}));
  CHECK_THROWS(WindowMap({.streams = 1, .ring = 4, .depth = 0}));
  CHECK_THROWS(WindowMap({.streams = 1, .ring = 4, .depth = 5}));
}
