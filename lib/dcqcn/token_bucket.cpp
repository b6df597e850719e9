// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/token_bucket.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

namespace {

// round(2^48 / 156.25 MHz): the factor with which the firmware converts bytes per second to bytes per clock
// (Q16.16).
constexpr std::uint64_t kTokenFactor = 1'801'440;

}  // namespace

TokenBucket::TokenBucket(const BucketConfig& config, std::uint64_t rate, Edge first)
    : size_(config.size),
      arithmetic_(config.arithmetic),
      start_full_(config.start_full),
      first_frame_free_(config.first_frame_free) {
  static_assert(kTokenFactor == ((std::uint64_t{1} << 48) + kClocksPerSecond / 2) / kClocksPerSecond);
  static_assert(kSecond / kFirmwareClock == kClocksPerSecond);
  restart(rate, first);
}

void TokenBucket::restart(std::uint64_t rate, Edge first) {
  now_ = first;
  armed_ = !first_frame_free_;
  credit_ = start_full_ ? capacity() : 0;
  refill_ = refill_for(rate);
  spilled_ = 0;
  changes_ = 0;
}

std::uint64_t TokenBucket::refill_for(std::uint64_t rate) const {
  if (arithmetic_ == BucketArithmetic::kExact) return rate;
  return static_cast<std::uint64_t>((Uint128{rate} * kTokenFactor) >> 32);
}

void TokenBucket::set_rate(std::uint64_t rate, Edge n) {
  advance(n);
  const Edge at = n + rate_delay();
  if (at <= now_) {
    refill_ = refill_for(rate);
    return;
  }
  if (changes_ != 0 && change_at(changes_ - 1U) == at) --changes_;
  change_at_[changes_] = static_cast<std::uint8_t>(at);
  change_refill_[changes_] = refill_for(rate);
  ++changes_;
}

void TokenBucket::apply_change() {
  refill_ = change_refill_[0];
  --changes_;
  for (std::size_t i = 0; i < changes_; ++i) {
    change_at_[i] = change_at_[i + 1];
    change_refill_[i] = change_refill_[i + 1];
  }
}

void TokenBucket::fill_up(std::uint64_t clocks) {
  const auto room = static_cast<std::uint64_t>(capacity() - credit_);
  credit_ = capacity();
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
  if (need > capacity()) return kNoEdge;
  std::int64_t credit = credit_;
  std::uint64_t refill = refill_;
  Edge edge = now_;
  for (std::size_t i = 0;; ++i) {
    if (credit >= need) return edge;
    const Edge until = i < changes_ ? change_at(i) : kNoEdge;
    const auto lacking = static_cast<std::uint64_t>(need - credit);
    const std::uint64_t clocks = refill == 0 ? kNoEdge : (lacking + refill - 1) / refill;
    if (clocks <= until - edge) return clocks > kNoEdge - edge ? kNoEdge : edge + clocks;
    if (until == kNoEdge) return kNoEdge;
    credit += static_cast<std::int64_t>((until - edge) * refill);
    refill = change_refill_[i];
    edge = until;
  }
}

}  // namespace softfeb::dcqcn
