// SPDX-License-Identifier: BSD-3-Clause
#include "lab/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace softfeb::lab {

namespace {

/// Parts are merged because of the traffic between them only if the result weighs at most this multiple of
/// the mean weight.
constexpr double kPartSlack = 1.1;
/// Cost of a unit of traffic between parts, expressed in units of weight.
constexpr double kTrafficCost = 1.3;

constexpr std::uint32_t kNoPart = UINT32_MAX;

}  // namespace

/// The groups of nodes, and the part to which each group belongs.
struct Partition::State {
  std::vector<std::vector<std::uint32_t>> nodes;  ///< nodes of each group
  std::vector<double> weight;                     ///< weight of each group
  std::vector<std::vector<double>> traffic;       ///< traffic between each pair of groups
  std::vector<std::uint32_t> part;                ///< part of each group

  explicit State(const Partition& p) {
    std::vector<std::uint32_t> group_of(p.weights_.size(), kNoPart);
    for (std::uint32_t n = 0; n < group_of.size(); ++n) {
      std::uint32_t& group = group_of[p.root(n)];
      if (group == kNoPart) {
        group = static_cast<std::uint32_t>(nodes.size());
        nodes.emplace_back();
        weight.push_back(0);
      }
      nodes[group].push_back(n);
      weight[group] += p.weights_[n];
    }
    traffic.assign(nodes.size(), std::vector<double>(nodes.size(), 0));
    for (const Edge& e : p.edges_) {
      const std::uint32_t a = group_of[p.root(e.a)];
      const std::uint32_t b = group_of[p.root(e.b)];
      if (a == b) continue;
      traffic[a][b] += e.traffic;
      traffic[b][a] += e.traffic;
    }
    part.resize(nodes.size());
    std::iota(part.begin(), part.end(), 0U);
  }

  void merge_until(std::uint32_t parts);
  void refine(std::uint32_t parts);
  std::uint32_t better_part(std::size_t group, const std::vector<double>& weights) const;
  void renumber();
};

/// Merges parts until `parts` are left. Prefers two parts with much traffic between them in relation to their
/// weights, as long as the result is not too heavy; otherwise merges the lightest parts.
void Partition::State::merge_until(std::uint32_t parts) {
  std::vector<double> weights = weight;
  std::vector<std::vector<double>> between = traffic;
  std::vector<std::uint32_t> left(weights.size());
  std::iota(left.begin(), left.end(), 0U);
  const double limit = kPartSlack * std::accumulate(weights.begin(), weights.end(), 0.0) / parts;
  while (left.size() > parts) {
    std::pair<std::size_t, std::size_t> best{0, 1};
    std::pair<double, double> best_score{-1, 0};
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = i + 1; j < left.size(); ++j) {
        const double sum = weights[left[i]] + weights[left[j]];
        const double shared = between[left[i]][left[j]];
        // Divide by the product, so that heavy nodes in the middle of the network do not attract all others.
        const double product = weights[left[i]] * weights[left[j]];
        const std::pair score{sum <= limit && product > 0 ? shared / product : 0, -sum};
        if (score > best_score) {
          best_score = score;
          best = {i, j};
        }
      }
    }
    const std::uint32_t into = left[best.first];
    const std::uint32_t from = left[best.second];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best.second));
    weights[into] += weights[from];
    for (std::size_t k = 0; k < between.size(); ++k) {
      between[into][k] += between[from][k];
      between[k][into] = between[into][k];
    }
    std::replace(part.begin(), part.end(), from, into);
  }
  renumber();
}

/// Numbers the parts in the order of their first groups.
void Partition::State::renumber() {
  std::vector<std::uint32_t> number(part.size(), kNoPart);
  std::uint32_t next = 0;
  for (std::uint32_t& p : part) {
    if (number[p] == kNoPart) number[p] = next++;
    p = number[p];
  }
}

/// Moves single groups to other parts while this reduces the sum of the weight of the heaviest part and the
/// cost of traffic between parts.
void Partition::State::refine(std::uint32_t parts) {
  constexpr int kRounds = 8;
  std::vector<double> weights(parts, 0);
  std::vector<std::size_t> sizes(parts, 0);
  for (std::size_t i = 0; i < part.size(); ++i) {
    weights[part[i]] += weight[i];
    ++sizes[part[i]];
  }
  bool moved = true;
  for (int round = 0; moved && round < kRounds; ++round) {
    moved = false;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint32_t from = part[i];
      if (sizes[from] == 1) continue;
      const std::uint32_t to = better_part(i, weights);
      if (to == from) continue;
      weights[from] -= weight[i];
      weights[to] += weight[i];
      --sizes[from];
      ++sizes[to];
      part[i] = to;
      moved = true;
    }
  }
  renumber();
}

/// Returns the best part for group `i`; its current part if no other is better.
std::uint32_t Partition::State::better_part(std::size_t i, const std::vector<double>& weights) const {
  std::vector<double> traffic_to(weights.size(), 0);
  for (std::size_t j = 0; j < part.size(); ++j) traffic_to[part[j]] += traffic[i][j];
  const auto cost = [&](std::uint32_t to) {
    double heaviest = 0;
    for (std::uint32_t p = 0; p < weights.size(); ++p) {
      const double without = weights[p] - (p == part[i] ? weight[i] : 0);
      heaviest = std::max(heaviest, without + (p == to ? weight[i] : 0));
    }
    return heaviest - kTrafficCost * traffic_to[to] / static_cast<double>(weights.size());
  };
  std::uint32_t best = part[i];
  double least = cost(best);
  for (std::uint32_t to = 0; to < weights.size(); ++to) {
    const double now = cost(to);
    if (now >= least - std::abs(least) * 1e-9) continue;
    least = now;
    best = to;
  }
  return best;
}

Partition::Partition(std::vector<double> weights) : weights_(std::move(weights)), above_(weights_.size()) {
  std::iota(above_.begin(), above_.end(), 0U);
}

std::uint32_t Partition::root(std::uint32_t node) const {
  while (above_[node] != node) node = above_[node];
  return node;
}

void Partition::connect(std::uint32_t a, std::uint32_t b, double traffic) {
  edges_.push_back({a, b, traffic});
}

void Partition::join(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax({root(a), root(b)});
  above_[high] = low;
}

std::size_t Partition::groups() const {
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < above_.size(); ++i) n += above_[i] == i ? 1 : 0;
  return n;
}

std::vector<std::uint32_t> Partition::divide(std::uint32_t parts) const {
  State state(*this);
  state.merge_until(parts);
  state.refine(parts);
  std::vector<std::uint32_t> part_of(weights_.size(), 0);
  for (std::size_t g = 0; g < state.nodes.size(); ++g)
    for (const std::uint32_t n : state.nodes[g]) part_of[n] = state.part[g];
  return part_of;
}

}  // namespace softfeb::lab
