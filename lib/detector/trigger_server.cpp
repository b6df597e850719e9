// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_server.hpp"

#include <algorithm>

namespace softfeb::detector {

TriggerServer::TriggerServer(const TriggerServerConfig& config)
    : config_(config),
      sequence_(config.sources, config.dead_time),
      busy_(sequence_, config.boards, config.busy_delay),
      busy_until_(config.boards, 0) {}

std::optional<TriggerMessage> TriggerServer::next_message(Time now) {
  const Time until = std::min(now, config_.end);
  if (forget_at_ < until) forget(until);
  const auto trigger = sequence_.accept_before(until);
  if (!trigger) return std::nullopt;
  return TriggerMessage{.type = trigger->type,
                        .run = config_.run,
                        .time = time_after(config_.origin, trigger->time),
                        .event = trigger->event};
}

Time TriggerServer::next_event() const { return over() ? kNever : std::min(sequence_.next(), forget_at_); }

TriggerMessage TriggerServer::end_message(Time now) const {
  return {
      .end_of_run = true, .run = config_.run, .time = time_after(config_.origin, now), .event = accepted()};
}

void TriggerServer::receive(const BusyMessage& m, Time now) {
  if (m.run != config_.run || m.board >= busy_until_.size()) {
    ++rejected_;
    return;
  }
  busy_until_[m.board] = m.busy ? saturating_add(now, kForget) : 0;
  if (m.busy) forget_at_ = std::min(forget_at_, busy_until_[m.board]);
  busy_.report(m.board, m.busy, now);
}

/// Forgets the boards that should have repeated their busy report before `now` but have not. These boards
/// count as idle only from `now` on, although the report was due earlier. The sequence has not yet decided on
/// the candidates after the last call, and will veto those of them that are before `now`.
void TriggerServer::forget(Time now) {
  forget_at_ = kNever;
  for (std::uint32_t b = 0; b < busy_until_.size(); ++b) {
    if (busy_until_[b] == 0) continue;
    if (busy_until_[b] >= now) {
      forget_at_ = std::min(forget_at_, busy_until_[b]);
      continue;
    }
    ++forgotten_;
    busy_until_[b] = 0;
    busy_.report(b, false, now);
  }
}

}  // namespace softfeb::detector
