// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/token_bucket.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

namespace {

// round(2^48 / 156.25 MHz): the firmware's constant for bytes per second to Q16.16 bytes per clock.
constexpr std::uint64_t kTokenFactor = 1'801'440;

}  // namespace

TokenBucket::TokenBucket(const BucketConfig& config, std::uint64_t rate, Edge first)
    : now_(first), arithmetic_(config.arithmetic), armed_(!config.first_frame_free) {
  static_assert(kTokenFactor == ((std::uint64_t{1} << 48) + kClocksPerSecond / 2) / kClocksPerSecond);
  static_assert(kSecond / kFirmwareClock == kClocksPerSecond);
  capacity_ = static_cast<std::int64_t>(config.size * units_per_byte());
  credit_ = config.start_full ? capacity_ : 0;
  refill_ = refill_for(rate);
}

std::uint64_t TokenBucket::refill_for(std::uint64_t rate) const {
  if (arithmetic_ == BucketArithmetic::kExact) return rate;
  return static_cast<std::uint64_t>((Uint128{rate} * kTokenFactor) >> 32);
}

void TokenBucket::set_rate(std::uint64_t rate, Edge n) {
  advance(n);
  const Change change{n + rate_delay(), refill_for(rate)};
  if (change.at <= now_) {
    refill_ = change.refill;
  } else {
    if (changes_ != 0 && change_[changes_ - 1U].at == change.at) --changes_;
    change_[changes_++] = change;
  }
}

void TokenBucket::apply_change() {
  refill_ = change_[0].refill;
  --changes_;
  for (std::size_t i = 0; i < changes_; ++i) change_[i] = change_[i + 1];
}

void TokenBucket::fill_up(std::uint64_t clocks) {
  const auto room = static_cast<std::uint64_t>(capacity_ - credit_);
  credit_ = capacity_;
  spilled_ += static_cast<std::uint64_t>(Uint128{clocks} * refill_ - room);
}

void TokenBucket::advance_changes(Edge n) {
  while (now_ < n) {
    if (next_change() <= now_) apply_change();
    const Edge until = std::min(n, next_change());
    fill(until - now_);
    now_ = until;
  }
  if (next_change() <= now_) apply_change();
}

Edge TokenBucket::ready_later(std::int64_t need) const {
  if (need > capacity_) return kNoEdge;
  std::int64_t credit = credit_;
  std::uint64_t refill = refill_;
  Edge edge = now_;
  for (std::size_t i = 0;; ++i) {
    if (credit >= need) return edge;
    const Edge until = i < changes_ ? change_[i].at : kNoEdge;
    const auto lacking = static_cast<std::uint64_t>(need - credit);
    const std::uint64_t clocks = refill == 0 ? kNoEdge : (lacking + refill - 1) / refill;
    if (clocks <= until - edge) return clocks > kNoEdge - edge ? kNoEdge : edge + clocks;
    if (until == kNoEdge) return kNoEdge;
    credit += static_cast<std::int64_t>((until - edge) * refill);
    refill = change_[i].refill;
    edge = until;
  }
}

}  // namespace softfeb::dcqcn
