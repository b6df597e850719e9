// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_sequence.hpp"

#include <utility>

namespace softfeb::detector {

TriggerSequence::TriggerSequence(std::vector<TriggerSourceConfig> sources, Time dead_time)
    : counts_(sources.size()), dead_time_(dead_time) {
  sources_.reserve(sources.size());
  for (TriggerSourceConfig& source : sources) sources_.emplace_back(std::move(source));
  find_first();
}

std::optional<Trigger> TriggerSequence::accept_before(Time end) {
  while (next() < end) {
    TriggerSource& source = sources_[first_];
    TriggerCounts& counts = counts_[first_];
    const Trigger trigger{accepted_, source.next(), source.type()};
    source.take();
    find_first();
    if (judge(trigger.time, counts)) return trigger;
  }
  return std::nullopt;
}

bool TriggerSequence::judge(Time t, TriggerCounts& counts) {
  ++counts.candidates;
  if (t < dead_until_) {
    ++counts.dead_time;
    return false;
  }
  if (t >= busy_from_ && t < busy_until_) {
    ++counts.busy;
    return false;
  }
  ++counts.accepted;
  ++accepted_;
  dead_until_ = saturating_add(t, dead_time_);
  return true;
}

void TriggerSequence::set_busy(Time from) {
  if (busy_from_ != kNever && busy_until_ == kNever) return;
  busy_from_ = from;
  busy_until_ = kNever;
}

void TriggerSequence::set_idle(Time now) {
  if (busy_until_ == kNever) busy_until_ = now;
}

void TriggerSequence::find_first() {
  first_ = 0;
  for (std::size_t i = 1; i < sources_.size(); ++i) {
    if (sources_[i].next() < sources_[first_].next()) first_ = i;
  }
}

}  // namespace softfeb::detector
