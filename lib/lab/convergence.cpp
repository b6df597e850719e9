// SPDX-License-Identifier: BSD-3-Clause
#include "lab/convergence.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::lab {

void Convergence::begin(const Change& change) {
  all_.push_back({change, std::nullopt});
  moments_.clear();
}

void Convergence::add(Time at, std::span<const std::uint64_t> delivered,
                      std::span<const std::uint64_t> fair) {
  if (!pending()) return;
  moments_.push_back({at, {delivered.begin(), delivered.end()}});
  while (moments_.size() > 2 && moments_[1].at + kWindow <= at) moments_.pop_front();
  const Moment& from = moments_.front();
  if (from.at + kWindow > at || !all_near(from, moments_.back(), fair)) return;
  all_.back().converged = from.at - all_.back().change.at;
  moments_.clear();
}

bool Convergence::all_near(const Moment& from, const Moment& to, std::span<const std::uint64_t> fair) const {
  const std::vector<std::size_t>& sending = all_.back().change.sending;
  return std::all_of(sending.begin(), sending.end(), [&](std::size_t b) {
    const Uint128 got = Uint128{to.delivered[b] - from.delivered[b]} * kSecond;
    const Uint128 due = Uint128{fair[b]} * (to.at - from.at);
    return got * 10 >= due * 9 && got * 10 <= due * 11;
  });
}

}  // namespace softfeb::lab
