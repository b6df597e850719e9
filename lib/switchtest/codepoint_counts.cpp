// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/codepoint_counts.hpp"

#include <numeric>

namespace softfeb::switchtest {

void CodepointCounts::add(const FrameKind& kind, const Arrival& arrival) {
  if (!arrival.intact) {
    ++damaged;
    return;
  }
  ++became[static_cast<std::size_t>(kind.ecn)][static_cast<std::size_t>(arrival.ecn)];
  if (arrival.dscp != kind.dscp) ++wrong_dscp;
}

void CodepointCounts::add(const CodepointCounts& other) {
  for (std::size_t from = 0; from < kEcnValues; ++from) {
    for (std::size_t to = 0; to < kEcnValues; ++to) became[from][to] += other.became[from][to];
    sent[from] += other.sent[from];
    missing[from] += other.missing[from];
  }
  wrong_dscp += other.wrong_dscp;
  damaged += other.damaged;
}

std::uint64_t CodepointCounts::arrived(std::size_t from) const {
  return std::accumulate(became[from].begin(), became[from].end(), std::uint64_t{0});
}

std::uint64_t CodepointCounts::wrong_ecn() const {
  std::uint64_t out = 0;
  for (std::size_t from = 0; from < kEcnValues; ++from)
    for (std::size_t to = 0; to < kEcnValues; ++to) {
      const bool marked =
          may_become_ce(static_cast<roce::Ecn>(from)) && to == static_cast<std::size_t>(roce::Ecn::kCe);
      if (from != to && !marked) out += became[from][to];
    }
  return out;
}

}  // namespace softfeb::switchtest
