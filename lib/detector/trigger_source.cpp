// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_source.hpp"

#include "base/uint128.hpp"
#include "detector/exponential_gap.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace softfeb::detector {

namespace {

using Kind = TriggerSourceConfig::Kind;

constexpr std::size_t kMostReserved = std::size_t{1} << 16;

/// Number of companions to reserve memory for. The number of waiting companions is at most the number of
/// triggers of the source in one pile-up window. Twice the mean plus 64 is more than 8 σ above the mean of
/// any Poisson distribution.
std::size_t room_for_companions(const TriggerSourceConfig& config) {
  if (config.pile_up_parts == 0) return 0;
  const Uint128 mean = Uint128{config.rate_hz} * config.pile_up_window / kSecond;
  return static_cast<std::size_t>(std::min<Uint128>(2 * mean + 64, kMostReserved));
}

}  // namespace

TriggerSource::TriggerSource(TriggerSourceConfig config) : config_(std::move(config)), rng_(config_.seed) {
  if (config_.kind != Kind::kList && config_.rate_hz == 0)
    throw std::invalid_argument("a trigger source's rate must be at least 1 Hz");
  if (config_.pile_up_parts > std::uint64_t{1} << 32)
    throw std::invalid_argument("a trigger source's pile-up probability must be at most 1");
  switch (config_.kind) {
    case Kind::kRandom:
      mean_ = kSecond / config_.rate_hz;
      own_ = exponential_gap(rng_.next(), mean_);
      companions_.reserve(room_for_companions(config_));
      next_ = own_;
      break;
    case Kind::kPeriodic:
      step_ = kSecond / config_.rate_hz;
      rest_ = kSecond % config_.rate_hz;
      next_ = config_.phase;
      break;
    case Kind::kList:
      std::sort(config_.times.begin(), config_.times.end());
      next_ = config_.times.empty() ? kNever : config_.times[0];
      break;
  }
}

void TriggerSource::take() {
  switch (config_.kind) {
    case Kind::kRandom:
      return take_random();
    case Kind::kPeriodic:
      return take_periodic();
    case Kind::kList:
      return take_listed();
  }
}

void TriggerSource::take_random() {
  if (!companions_.empty() && companions_.front() <= own_) {
    std::pop_heap(companions_.begin(), companions_.end(), std::greater<>());
    companions_.pop_back();
  } else {
    draw_companion(own_);
    own_ = saturating_add(own_, exponential_gap(rng_.next(), mean_));
  }
  next_ = companions_.empty() ? own_ : std::min(own_, companions_.front());
}

void TriggerSource::draw_companion(Time trigger) {
  if (!rng_.chance(config_.pile_up_parts)) return;
  companions_.push_back(saturating_add(trigger, 1 + rng_.below(config_.pile_up_window)));
  std::push_heap(companions_.begin(), companions_.end(), std::greater<>());
}

void TriggerSource::take_periodic() {
  next_ = saturating_add(next_, step_);
  if (fraction_ >= config_.rate_hz - rest_) {
    fraction_ -= config_.rate_hz - rest_;
    next_ = saturating_add(next_, 1);
  } else {
    fraction_ += rest_;
  }
}

void TriggerSource::take_listed() {
  if (listed_ < config_.times.size()) ++listed_;
  next_ = listed_ < config_.times.size() ? config_.times[listed_] : kNever;
}

}  // namespace softfeb::detector
