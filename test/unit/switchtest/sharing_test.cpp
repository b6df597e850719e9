// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/sharing.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::switchtest;

namespace {

FrameCount exactly(std::uint64_t n) { return {n, n}; }

/// Returns a series with frames of 1000 bytes, in which the first queue held `first` frames.
QueueSeries queues(std::uint64_t first) {
  return {.frame = 1000, .first = exactly(first), .same_port = {}, .other_port = {}};
}

}  // namespace

TEST_CASE("A threshold is fitted to what queues held", "[switchtest]") {
  // The memory has 3000 bytes, and alpha is 2. A queue then holds alpha / (1 + alpha) = 2/3 of the unused
  // bytes.
  std::vector<HeldPoint> points;
  for (const double used : {0.0, 600.0, 1500.0, 2400.0}) {
    const double held = 2.0 / 3 * (3000 - used);
    points.push_back({used, held, held - 10, held + 10});
  }
  const auto fit = fit_threshold(points);
  REQUIRE(fit);
  CHECK(fit->alpha == Approx(2));
  CHECK(fit->pool == Approx(3000));
  CHECK(fit->alpha_low > 1.9);
  CHECK(fit->alpha_low < 2);
  CHECK(*fit->alpha_high > 2);
  CHECK(*fit->alpha_high < 2.1);
  CHECK(fit->pool_low < 3000);
  CHECK(*fit->pool_high > 3000);
  // Points with a kink do not fit any threshold.
  points[2].held = points[2].low = points[2].high = 500;
  CHECK_FALSE(fit_threshold(points));
  CHECK_FALSE(fit_threshold({points[0]}));
}

TEST_CASE("Constant memory fits no threshold, and all the memory fits one without limit", "[switchtest]") {
  const auto constant = fit_threshold({{0, 500, 490, 510}, {500, 500, 490, 510}});
  REQUIRE(constant);
  CHECK(constant->share_low == 0);
  CHECK_FALSE(constant->pool_high);
  const auto all = fit_threshold({{0, 500, 490, 510}, {500, 0, 0, 10}});
  REQUIRE(all);
  CHECK_FALSE(all->alpha_high);
}

TEST_CASE("Queues that hold nothing beside a full one share everything", "[switchtest]") {
  QueueSeries series = queues(100);
  series.same_port = {{100'000, exactly(0)}};
  CHECK(sharing_of(series).sharing == Sharing::kUnknown);
  CHECK_FALSE(sharing_of(series).reason.empty());
  series.other_port = {{50'000, exactly(50)}, {100'000, exactly(0)}};
  const SharingFound found = sharing_of(series);
  CHECK(found.sharing == Sharing::kComplete);
  CHECK(found.pool_low == 100'000);
  CHECK(found.pool_high == 100'999);
}

TEST_CASE("Equal queues have a limit each, or each port has one", "[switchtest]") {
  QueueSeries series = queues(1000);
  series.same_port = {{1'000'000, exactly(0)}};
  series.other_port = {{500'000, exactly(1000)}, {1'000'000, exactly(1001)}};
  CHECK(sharing_of(series).sharing == Sharing::kPortLimit);
  CHECK(sharing_of(series).pool_low == 2'001'000);
  CHECK_FALSE(sharing_of(series).pool_high);
  series.same_port = {{1'000'000, exactly(1000)}, {2'000'000, exactly(999)}};
  CHECK(sharing_of(series).sharing == Sharing::kQueueLimit);
  // The last queue held less than its limit, because the memory was full.
  series.same_port.push_back({2'999'000, exactly(400)});
  series.other_port.clear();
  CHECK(sharing_of(series).sharing == Sharing::kQueueLimit);
  CHECK(sharing_of(series).pool_low == 3'399'000);
}

TEST_CASE("Short queues cannot tell a limit from a dynamic threshold", "[switchtest]") {
  QueueSeries series = queues(100);
  series.same_port = {{100'000, exactly(0)}};
  series.other_port = {{50'000, exactly(100)}, {100'000, exactly(100)}};
  CHECK(sharing_of(series).sharing == Sharing::kUnknown);
  CHECK_FALSE(sharing_of(series).reason.empty());
  // With a dynamic threshold of alpha = 1/128, the first queue of 258 frames would reduce the threshold of
  // the second queue by two frames. The second queue also holds 258 frames, so its limit is constant.
  series = queues(258);
  series.other_port = {{258'000, exactly(258)}};
  CHECK(sharing_of(series).sharing == Sharing::kPortLimit);
}

TEST_CASE("Geometrically falling queues have a dynamic threshold", "[switchtest]") {
  QueueSeries series = queues(1000);
  series.same_port = {{1'000'000, exactly(500)}, {1'500'000, exactly(250)}, {1'750'000, exactly(125)}};
  const SharingFound found = sharing_of(series);
  REQUIRE(found.sharing == Sharing::kDynamic);
  CHECK(found.fit->alpha == Approx(1).epsilon(0.01));
  CHECK(found.fit->pool == Approx(2'000'000).epsilon(0.01));
  // If one queue is far off, no threshold fits.
  series.same_port[1].frames = exactly(400);
  CHECK(sharing_of(series).sharing == Sharing::kUnknown);
}
