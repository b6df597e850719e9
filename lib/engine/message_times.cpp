// SPDX-License-Identifier: BSD-3-Clause
#include "engine/message_times.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::engine {

MessageTimes::MessageTimes(const MessageTimesConfig& config, std::uint32_t length, std::uint32_t depth)
    : config_(config),
      acknowledgement_(config.path ? config.path->acknowledgement() : 0),
      since_(std::max(depth, 1U), 0),
      length_(length) {}

void MessageTimes::start(Time at) {
  count_from_ = saturating_add(at, config_.count_after);
  if (config_.arrivals) config_.arrivals->start(at);
}

void MessageTimes::count(std::uint64_t n, Time now) {
  const std::uint32_t bytes = length(n);
  completed_bytes_ += bytes;
  const Time arrived = since(n);
  if (!config_.times || arrived < count_from_) return;
  const Time took = now - arrived;
  std::optional<std::uint64_t> slowdown;
  if (config_.path) {
    const Time ideal = std::max<Time>(1, config_.path->message(bytes));
    const Time to_last_byte = took > acknowledgement_ ? took - acknowledgement_ : 0;
    constexpr auto kUnit = static_cast<std::uint64_t>(CompletionTimes::kPerSlowdown);
    slowdown = static_cast<std::uint64_t>((Uint128{to_last_byte} * kUnit + ideal / 2) / ideal);
  }
  config_.times->add(bytes, took, slowdown, bytes <= config_.median);
}

}  // namespace softfeb::engine
