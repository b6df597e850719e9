// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/rate_limits.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::fabric {

namespace {

template <class Fn>
void for_each_bit(std::uint8_t mask, Fn&& fn) {
  for (; mask != 0; mask = static_cast<std::uint8_t>(mask & (mask - 1)))
    fn(static_cast<std::size_t>(std::countr_zero(mask)));
}

}  // namespace

RateMeter::RateMeter(std::uint64_t rate, std::uint64_t burst)
    : time_(rate),
      tolerance_(static_cast<Time>(std::min<Uint128>(Uint128{burst} * kSecond / rate, kNever / 2))) {}

bool RateLimits::needed(const SwitchConfig& config) {
  return config.scheduler.port_rate != 0 || std::any_of(config.queues.begin(), config.queues.end(),
                                                        [](const auto& queue) { return queue.rates.any(); });
}

RateLimits::RateLimits(const SwitchConfig& config) : overhead_(config.scheduler.overhead) {
  if (config.scheduler.port_rate != 0) port_.emplace(config.scheduler.port_rate, config.scheduler.port_burst);
  for (std::size_t q = 0; q < kQueues; ++q) {
    const QueueRates& rates = config.queues[q].rates;
    if (rates.max != 0) {
      queues_[q].max.emplace(rates.max, rates.burst);
      limited_ = static_cast<std::uint8_t>(limited_ | 1U << q);
    }
    if (rates.min != 0) {
      queues_[q].min.emplace(rates.min, rates.burst);
      guaranteed_ = static_cast<std::uint8_t>(guaranteed_ | 1U << q);
    }
  }
}

std::uint8_t RateLimits::open(std::uint8_t candidates, Time now) const {
  if (port_ && port_->conforms_at() > now) return 0;
  unsigned closed = 0;
  for_each_bit(candidates & limited_, [&](std::size_t q) {
    if (queues_[q].max->conforms_at() > now) closed |= 1U << q;
  });
  const auto allowed = static_cast<std::uint8_t>(candidates & ~closed);
  unsigned below = 0;
  for_each_bit(allowed & guaranteed_, [&](std::size_t q) {
    if (queues_[q].min->conforms_at() <= now) below |= 1U << q;
  });
  return below == 0 ? allowed : static_cast<std::uint8_t>(std::bit_floor(below));
}

Time RateLimits::opens_at(std::size_t queue) const {
  const Time port = port_ ? port_->conforms_at() : 0;
  return queues_[queue].max ? std::max(port, queues_[queue].max->conforms_at()) : port;
}

/// Counts a frame that leaves a queue. Only frames within the guaranteed rate count against that rate.
/// Otherwise, a queue that sends more while the other queues are empty would lose its guarantee afterwards.
void RateLimits::sent(std::size_t queue, std::uint32_t length, Time now) {
  const std::uint64_t bytes = scheduled_bytes(length, overhead_);
  Queue& limits = queues_[queue];
  if (port_) port_->count(bytes, now);
  if (limits.max) limits.max->count(bytes, now);
  if (limits.min && limits.min->conforms_at() <= now) limits.min->count(bytes, now);
}

}  // namespace softfeb::fabric
