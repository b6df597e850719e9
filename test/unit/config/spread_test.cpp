// SPDX-License-Identifier: BSD-3-Clause
// Tests the assignment of endpoints to workers if the configuration does not name their worker.
#include "documents.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns the worker of each board, followed by the worker of each receiver.
std::vector<std::size_t> workers_of(const RunConfig& config) {
  std::vector<std::size_t> out;
  for (const BoardConfig& b : config.boards) out.push_back(b.endpoint.worker);
  for (const ReceiverConfig& r : config.receivers) out.push_back(r.endpoint.worker);
  return out;
}

using Workers = std::vector<std::size_t>;

const std::string kFour = replaced(kBase, "10.0.0.2/24", "10.0.0.100/24");

}  // namespace

TEST_CASE("a receiver's load is the sum of its boards' loads") {
  CHECK(workers_of(load(kBase)) == Workers{0, 1});
  CHECK(workers_of(load(kFour, {"boards.0.count=4"})) == Workers{1, 1, 1, 1, 0});
  // With a third worker, two workers share the boards.
  CHECK(workers_of(load(kFour, {"boards.0.count=4", "workers.count=3"})) == Workers{1, 2, 1, 2, 0});
}

TEST_CASE("equal endpoints are assigned round-robin") {
  const std::vector<std::string> pairs = {"boards.0.count=4", "receivers.0.count=4", "workers.count=2"};
  CHECK(workers_of(load(kFour, pairs)) == Workers{0, 1, 0, 1, 0, 1, 0, 1});
}

TEST_CASE("an endpoint keeps its configured worker and counts as load") {
  CHECK(workers_of(load(kFour, {"boards.0.count=2", "boards.0.worker=0"})) == Workers{0, 0, 1});
  CHECK(workers_of(load(kBase, {"receivers.0.worker=0"})) == Workers{1, 0});
}

TEST_CASE("the busiest are placed first, by offered rates and link rate") {
  const std::string second =
      "  - name: slow\n    port: feb\n    ip: 10.0.0.50/24\n    qps:\n      - to: daq\n        pmtu: 4096\n"
      "        traffic:\n          message_size: 64KiB\n          rate: 3Gb/s\n";
  const std::string text = replaced(kFour, "receivers:\n", second + "receivers:\n");
  // The receiver handles the traffic of both boards, 1 Gb/s and 3 Gb/s, so it gets a worker of its own.
  CHECK(workers_of(load(text)) == Workers{1, 1, 0});
  // With a third worker, each board gets a worker of its own. The busier board is placed first.
  CHECK(workers_of(load(text, {"workers.count=3"})) == Workers{2, 1, 0});
  CHECK(workers_of(load(text, {"workers.count=3", "boards.1.link_rate=500Mb/s"})) == Workers{1, 2, 0});
}
