// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/pause.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::fabric {

namespace {

constexpr std::uint64_t kAlphaUnit = 256;  // PauseThresholds::xoff_alpha is in units of 1/256

roce::MacControl::Kind kind_of(PauseMode kind) {
  return kind == PauseMode::kPfc ? roce::MacControl::Kind::kPfc : roce::MacControl::Kind::kPause;
}

}  // namespace

void PauseState::told(const roce::MacControl& pause, Time now) {
  if (honours_ == PauseMode::kOff || pause.kind != kind_of(honours_)) return;
  // A value of 0 quanta ends the pause. If there is no pause, this value has no effect.
  const auto set = [&](Time& until, std::uint16_t quanta) {
    until = quanta == 0 ? std::min(until, now) : now + roce::pause_time(quanta, rate_);
  };
  for (std::size_t c = 0; c < kQueues; ++c) {
    if (honours_ == PauseMode::kPause) {
      set(until_[c], pause.quanta[0]);
    } else if ((pause.enabled >> c & 1) != 0) {
      set(until_[c], pause.quanta[c]);
    }
  }
  all_open_ = *std::max_element(until_.begin(), until_.end());
}

std::uint8_t PauseState::open_slowly(Time now) const {
  unsigned open = ignored_;
  for (std::size_t c = 0; c < kQueues; ++c)
    if (now >= until_[c]) open |= 1U << c;
  return static_cast<std::uint8_t>(open);
}

Time PauseState::opens_at(std::uint8_t waiting) const {
  Time first = kNever;
  for (std::size_t c = 0; c < kQueues; ++c)
    if ((waiting >> c & 1) != 0) first = std::min(first, until_[c]);
  return first;
}

/// Returns a pause frame with the current state of all classes that were ever paused. The frame also corrects
/// the state of a neighbour that has missed an earlier XON or XOFF frame.
roce::MacControl PauseSender::what_is() const {
  roce::MacControl pause;
  pause.kind = kind_of(kind_);
  pause.enabled = spoken_of_;
  for (std::size_t c = 0; c < kQueues; ++c)
    if ((stopped_ >> c & 1) != 0) pause.quanta[c] = thresholds_.quanta;
  return pause;
}

/// True if a class has reached XOFF. With a dynamic threshold, this means that the class occupies more than
/// alpha times the free bytes.
bool PauseSender::is_full(std::uint64_t bytes, std::uint64_t free) const {
  if (thresholds_.xoff_alpha == 0) return bytes >= thresholds_.xoff;
  return Uint128{bytes} * kAlphaUnit > Uint128{thresholds_.xoff_alpha} * free;
}

/// Returns the smallest number of free bytes at which the dynamic threshold exceeds `bytes` by xon_offset.
/// Returns 0 if `bytes` is 0, because an empty class may always resume.
std::uint64_t PauseSender::free_for(std::uint64_t bytes) const {
  if (bytes == 0) return 0;
  const Uint128 threshold = (Uint128{bytes} + thresholds_.xon_offset) * kAlphaUnit;
  const Uint128 free = (threshold + thresholds_.xoff_alpha - 1) / thresholds_.xoff_alpha;
  return free < UINT64_MAX ? static_cast<std::uint64_t>(free) : UINT64_MAX;
}

std::uint64_t PauseSender::resumes_at(const IngressAccount& account, std::uint8_t ingress_class) const {
  if ((stopped_ >> ingress_class & 1) == 0 || account.headroom[ingress_class] != 0 ||
      account.bytes[ingress_class] > thresholds_.xon)
    return UINT64_MAX;
  return free_for(account.bytes[ingress_class]);
}

std::optional<roce::MacControl> PauseSender::filled(const IngressAccount& account, std::uint8_t ingress_class,
                                                    std::uint64_t free, Time now) {
  const auto bit = static_cast<std::uint8_t>(1U << ingress_class);
  if ((stopped_ & bit) != 0) return std::nullopt;
  // Any use of headroom pauses the sender, even below xoff, because the egress side is full.
  if (!is_full(account.bytes[ingress_class], free) && account.headroom[ingress_class] == 0)
    return std::nullopt;
  stopped_ = static_cast<std::uint8_t>(stopped_ | bit);
  spoken_of_ = static_cast<std::uint8_t>(spoken_of_ | bit);
  return renewal(now);
}

std::optional<roce::MacControl> PauseSender::emptied(const IngressAccount& account,
                                                     std::uint8_t ingress_class, std::uint64_t free) {
  const auto bit = static_cast<std::uint8_t>(1U << ingress_class);
  if ((stopped_ & bit) == 0) return std::nullopt;
  if (account.bytes[ingress_class] > thresholds_.xon || account.headroom[ingress_class] != 0)
    return std::nullopt;
  if (thresholds_.xoff_alpha != 0 && free < free_for(account.bytes[ingress_class])) return std::nullopt;
  stopped_ = static_cast<std::uint8_t>(stopped_ & ~bit);
  if (stopped_ == 0) renew_at_ = kNever;
  roce::MacControl pause;
  pause.kind = kind_of(kind_);
  pause.enabled = bit;
  return pause;
}

/// Builds a frame that announces or repeats the current pauses. The next repetition is due after half of the
/// pause duration, so that it arrives before the pause expires.
roce::MacControl PauseSender::renewal(Time now) {
  renew_at_ = stopped_ == 0 ? kNever : now + roce::pause_time(thresholds_.quanta, rate_) / 2;
  return what_is();
}

}  // namespace softfeb::fabric
