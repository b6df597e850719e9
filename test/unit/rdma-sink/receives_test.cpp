// SPDX-License-Identifier: BSD-3-Clause
#include "receives.hpp"

#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb::sink;

namespace {

struct Queues final : ReceiveQueues {
  bool post(std::size_t i, std::uint32_t count) override {
    if (works) calls.emplace_back(i, count);
    return works;
  }

  std::vector<std::pair<std::size_t, std::uint32_t>> calls;
  bool works = true;
};

using Calls = std::vector<std::pair<std::size_t, std::uint32_t>>;

Shares shares_of(std::uint32_t receives, std::uint32_t capacity) {
  Shares s;
  s.receives = receives;
  s.capacity = capacity;
  return s;
}

}  // namespace

TEST_CASE("each queue pair's receives are posted again at once", "[rdma-sink]") {
  Queues queues;
  Receives receives(queues, 2, shares_of(3, 5), false, true);
  CHECK(receives.post({3, {}}) == 3);
  CHECK(receives.post({2, 1}) == 2);
  CHECK(queues.calls == Calls{{0, 3}, {1, 3}, {1, 2}});
  CHECK_THROWS_AS(receives.post({1, 1}), Refusal);
  CHECK_THROWS_AS(receives.post({1, 2}), Refusal);
  queues.calls.clear();
  receives.consumed(0);
  receives.handled(0);
  CHECK(queues.calls == Calls{{0, 1}});
  // This receive is not replaced. After the manual posts, QP 1 still has four receives, which is more than
  // the three that are kept posted automatically.
  receives.consumed(1);
  receives.handled(1);
  CHECK(receives.posted(1) == 4);
}

TEST_CASE("shared receives are posted again in batches", "[rdma-sink]") {
  Queues queues;
  Receives receives(queues, 2000, shares_of(100, 100), true, true);
  CHECK(receives.post({100, {}}) == 100);
  CHECK_THROWS_AS(receives.post({1, 0}), Refusal);
  queues.calls.clear();
  for (std::size_t qp = 0; qp < 30; ++qp) {
    receives.consumed(qp * 50);
    receives.handled(qp * 50);
  }
  CHECK(queues.calls.empty());
  CHECK(receives.posted(1999) == 70);
  receives.flush();
  receives.flush();
  CHECK(queues.calls == Calls{{0, 30}});
  CHECK(receives.posted(0) == 100);
}

TEST_CASE("consumed receives stay away without replenishment", "[rdma-sink]") {
  for (const bool shared : {false, true}) {
    Queues queues;
    Receives receives(queues, 1, shares_of(2, 4), shared, false);
    receives.post({2, {}});
    receives.consumed(0);
    receives.handled(0);
    receives.flush();
    CHECK(queues.calls.size() == 1);
    CHECK(receives.posted(0) == 1);
  }
}

TEST_CASE("a queue that refuses receives gets no more", "[rdma-sink]") {
  Queues queues;
  queues.works = false;
  Receives receives(queues, 1, shares_of(2, 4), true, true);
  CHECK_THROWS_AS(receives.post({2, {}}), Refusal);
  CHECK(receives.posted(0) == 0);
}
