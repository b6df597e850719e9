// SPDX-License-Identifier: BSD-3-Clause
#include "lab/spread.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::lab {

namespace {

/// A set of ports is ignored if it carried less than 1/kNegligible of the bytes of the busiest set.
constexpr std::uint64_t kNegligible = 100;
constexpr int kSumBits = 48;  ///< jain_index() requires sums with at most this number of bits

void judge(Spread& spread) {
  std::vector<std::uint64_t> bytes;
  std::uint64_t most = 0;
  for (const fabric::NextHopSnapshot& port : spread.ports) {
    bytes.push_back(port.wire_bytes);
    most = std::max(most, port.wire_bytes);
    spread.wire_bytes += port.wire_bytes;
  }
  if (spread.wire_bytes == 0) return;
  spread.max_mean = static_cast<Share>(Uint128{most} * bytes.size() * kWhole / spread.wire_bytes);
  const int excess = std::max(0, static_cast<int>(std::bit_width(spread.wire_bytes)) - kSumBits);
  for (std::uint64_t& b : bytes) b >>= excess;
  spread.jain = jain_index(bytes);
}

}  // namespace

std::vector<Spread> spreads_of(const fabric::NetworkSnapshot& network) {
  std::vector<Spread> spreads;
  for (const fabric::NextHopSnapshot& hop : network.next_hops) {
    if (spreads.empty() || spreads.back().ports.front().set != hop.set) spreads.emplace_back();
    spreads.back().ports.push_back(hop);
  }
  for (Spread& spread : spreads) judge(spread);
  return spreads;
}

const Spread* worst_spread(const std::vector<Spread>& spreads) {
  std::uint64_t most = 0;
  for (const Spread& s : spreads) most = std::max(most, s.wire_bytes);
  const Spread* worst = nullptr;
  for (const Spread& s : spreads) {
    if (!s.jain || s.wire_bytes < most / kNegligible) continue;
    if (worst == nullptr || *s.jain < *worst->jain) worst = &s;
  }
  return worst;
}

}  // namespace softfeb::lab
