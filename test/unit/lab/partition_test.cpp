// SPDX-License-Identifier: BSD-3-Clause
#include "lab/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using lab::Partition;

TEST_CASE("a graph is divided where it has little traffic", "[partition]") {
  // The graph consists of two triangles that are connected by an edge.
  Partition p(std::vector<double>(6, 1));
  for (const auto& [a, b] : {std::pair{0U, 1U}, {1U, 2U}, {2U, 0U}, {3U, 4U}, {4U, 5U}, {5U, 3U}})
    p.connect(a, b, 10);
  p.connect(2, 3, 1);
  CHECK(p.groups() == 6);
  CHECK(p.divide(1) == std::vector<std::uint32_t>(6, 0));
  CHECK(p.divide(2) == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1});
  CHECK(p.divide(6) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("parts have similar weights", "[partition]") {
  // The spine, node 12, is as heavy as all leaves together.
  std::vector<double> weights(13, 1);
  weights[12] = 12;
  Partition p(weights);
  for (std::uint32_t leaf = 0; leaf < 12; ++leaf) p.connect(leaf, 12, 0.5);
  const std::vector<std::uint32_t> parts = p.divide(4);
  std::vector<double> sums(4, 0);
  for (std::size_t i = 0; i < parts.size(); ++i) sums[parts[i]] += weights[i];
  for (std::uint32_t n = 0; n < 4; ++n) {
    CHECK(sums[n] >= 3);
    CHECK(sums[n] <= 13);
  }
}

TEST_CASE("the leaves of a pod stay with it", "[partition]") {
  // Each of four pods (nodes 16 to 19) has four leaves. A core (node 20) connects the pods.
  std::vector<double> weights(16, 2);
  weights.insert(weights.end(), {14, 14, 14, 14, 2});
  Partition p(weights);
  for (std::uint32_t leaf = 0; leaf < 16; ++leaf) p.connect(leaf, 16 + leaf / 4, 1);
  for (std::uint32_t pod = 16; pod < 20; ++pod) p.connect(pod, 20, 6);
  const std::vector<std::uint32_t> parts = p.divide(2);
  for (std::uint32_t leaf = 0; leaf < 16; ++leaf) {
    CAPTURE(leaf);
    CHECK(parts[leaf] == parts[16 + leaf / 4]);
  }
  CHECK(std::count(parts.begin(), parts.end(), 0U) >= 10);
  CHECK(std::count(parts.begin(), parts.end(), 1U) >= 10);
}

TEST_CASE("joined nodes are not separated", "[partition]") {
  Partition p({1, 1, 1, 1});
  p.join(1, 3);
  p.join(3, 1);
  CHECK(p.groups() == 3);
  const std::vector<std::uint32_t> parts = p.divide(3);
  CHECK(parts == std::vector<std::uint32_t>{0, 1, 2, 1});
}

TEST_CASE("nodes without weight and traffic are divided, too", "[partition]") {
  Partition p(std::vector<double>(5, 0));
  const std::vector<std::uint32_t> parts = p.divide(3);
  for (std::uint32_t n = 0; n < 3; ++n) CHECK(std::count(parts.begin(), parts.end(), n) >= 1);
}
