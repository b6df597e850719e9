// SPDX-License-Identifier: BSD-3-Clause
#include "engine/trigger_bus.hpp"

#include <algorithm>

namespace softfeb::engine {

TriggerBus::TriggerBus(const TriggerBusConfig& config)
    : sequence_(config.sources, config.dead_time),
      busy_(sequence_, config.boards, config.busy_delay),
      kept_(kKept) {}

void TriggerBus::end(Time at) { end_ = std::min(end_, at); }

void TriggerBus::advance(Time now) {
  now = std::min(now, end_);
  if (begin_ == kNever || now <= begin_) return;
  while (const auto trigger = sequence_.accept_before(since_begin(now)))
    kept_[trigger->event % kKept] = *trigger;
}

Time TriggerBus::next() const {
  if (begin_ == kNever) return kNever;
  const Time at = saturating_add(begin_, sequence_.next());
  return at < end_ ? at : kNever;
}

void TriggerBus::report(std::uint32_t board, bool busy, Time now) {
  advance(now);
  // After the last trigger, boards may still become busy or ready while they empty their FIFOs. The busy time
  // is measured only until the triggers end.
  busy_.report(board, busy, since_begin(std::min(now, end_)));
}

Time TriggerBus::busy_time(Time now) const {
  return begin_ == kNever ? 0 : busy_.busy_time(since_begin(std::min(now, end_)));
}

}  // namespace softfeb::engine
