// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_train.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Arrival frame_at(Time departed, Time at, bool marked = false) {
  return {.departed = departed, .at = at, .ecn = marked ? roce::Ecn::kCe : roce::Ecn::kEct0};
}

std::vector<std::uint32_t> ahead_of(const std::vector<QueuedFrame>& frames) {
  std::vector<std::uint32_t> out;
  for (const QueuedFrame& f : frames) out.push_back(f.ahead);
  return out;
}

std::vector<std::uint32_t> behind_of(const std::vector<QueuedFrame>& frames) {
  std::vector<std::uint32_t> out;
  for (const QueuedFrame& f : frames) out.push_back(f.behind);
  return out;
}

using Lengths = std::vector<std::uint32_t>;

/// Returns a train in which all frames from position `from` on are marked.
MarkedTrain marked_train(std::size_t frames, std::size_t from) {
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < frames; ++i) arrivals.push_back(frame_at(i, 100 + i, i >= from));
  return {frozen_train(arrivals)};
}

}  // namespace

TEST_CASE("A frame of a frozen train meets the frames before it", "[switchtest]") {
  const auto frames = marked_train(3, 2).frames;
  CHECK(ahead_of(frames) == Lengths{0, 1, 2});
  CHECK(behind_of(frames) == Lengths{2, 1, 0});
  CHECK_FALSE(frames[1].marked);
  CHECK(frames[2].marked);
}

TEST_CASE("A refilled queue contains the frames that had not left", "[switchtest]") {
  const std::vector<Arrival> first{frame_at(0, 10), frame_at(1, 11), frame_at(2, 12), frame_at(3, 50)};
  const std::vector<Arrival> second{frame_at(20, 51), frame_at(21, 52)};
  const auto frames = refilled_train(first, 7, second, 50).frames;
  CHECK(ahead_of(frames) == Lengths{0, 1, 2, 3, 1, 2});
  CHECK(behind_of(frames) == Lengths{3, 2, 1, 2, 1, 0});
}

TEST_CASE("Waiting times tell how many frames an overloaded queue held", "[switchtest]") {
  // A frame that does not wait takes 10 ps, and frames leave the queue at intervals of 4 ps.
  const std::vector<Time> unloaded{10};
  const std::vector<Arrival> arrivals{frame_at(0, 10), frame_at(1, 14), frame_at(2, 18), frame_at(7, 22),
                                      frame_at(40, 50)};
  const auto frames = overload_train(arrivals, unloaded);
  CHECK(ahead_of(frames) == Lengths{0, 0, 1, 1, 0});
  CHECK(behind_of(frames) == Lengths{0, 1, 1, 0, 0});
}

TEST_CASE("Marks are counted by depth at either place", "[switchtest]") {
  MarkingCounts counts;
  CHECK_FALSE(counts.any_marked());
  counts.add(marked_train(4, 4));
  CHECK_FALSE(counts.any_marked());
  counts.add(marked_train(4, 2));
  CHECK(counts.frames() == 8);
  CHECK(counts.deepest() == 3);
  const auto enqueue = counts.shares(MarkedAt::kEnqueue, 100),
             dequeue = counts.shares(MarkedAt::kDequeue, 100);
  REQUIRE(enqueue.size() == 4);
  CHECK(enqueue[3].depth == 300);
  CHECK(enqueue[3].frames == 2);
  CHECK(enqueue[3].marked == 1);
  CHECK(enqueue[1].marked == 0);
  CHECK(dequeue[0].marked == 1);
  CHECK(dequeue[3].marked == 0);
  MarkingCounts one;
  one.add(marked_train(9, 4));
  CHECK(one.certain_from(MarkedAt::kEnqueue) == 4);
  CHECK(one.certain_from(MarkedAt::kDequeue) == 9);
}

TEST_CASE("A train is saturated if its upper third is marked", "[switchtest]") {
  CHECK_FALSE(saturated({}));
  CHECK(saturated(marked_train(31, 20)));
  CHECK_FALSE(saturated(marked_train(31, 22)));
  CHECK_FALSE(saturated(marked_train(31, 31)));
}

TEST_CASE("Dropped frames raise the average, and frames leave with the average of their time",
          "[switchtest]") {
  MarkedTrain train = marked_train(4, 0);
  train.filled = 2;
  train.left = 1;
  train.dropped = 2;
  train.frames[2].ahead = 1;
  train.frames[3].ahead = 2;
  // The first two averages are 0 and 50. The frames dropped at 200 bytes change the average to 125 and 162.5.
  // The next averages are 131.25 and 165.625.
  const std::vector<MarkedTrain> trains{train};
  const auto enqueue = shares_by_average(trains, MarkedAt::kEnqueue, 1, 100);
  REQUIRE(enqueue.size() == 4);
  CHECK(enqueue[1].depth == 50);
  CHECK(enqueue[2].depth == 131);
  CHECK(enqueue[3].depth == 165);
  const auto dequeue = shares_by_average(trains, MarkedAt::kDequeue, 1, 100);
  REQUIRE(dequeue.size() == 2);
  CHECK(dequeue[0].depth == 162);
  CHECK(dequeue[0].frames == 1);
  CHECK(dequeue[1].depth == 165);
  CHECK(dequeue[1].frames == 3);
}

TEST_CASE("The average length follows the present one slowly", "[switchtest]") {
  const std::vector<MarkedTrain> trains{marked_train(3, 2)};
  // The averages are 0, 0 + (100 - 0) / 4 and 25 + (200 - 25) / 4.
  const auto enqueue = shares_by_average(trains, MarkedAt::kEnqueue, 2, 100);
  REQUIRE(enqueue.size() == 3);
  CHECK(enqueue[1].depth == 25);
  CHECK(enqueue[2].depth == 68);
  CHECK(enqueue[2].marked == 1);
  const auto dequeue = shares_by_average(trains, MarkedAt::kDequeue, 2, 100);
  REQUIRE(dequeue.size() == 1);
  CHECK(dequeue[0].depth == 68);
  CHECK(dequeue[0].frames == 3);
  CHECK(dequeue[0].marked == 1);
}
