// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/shared_triggers.hpp"

#include <algorithm>
#include <thread>

namespace softfeb::dataplane {

SharedTriggers::SharedTriggers(const engine::TriggerBusConfig& config)
    : bus_(config),
      kept_(std::make_unique<Slot[]>(kKept)),
      applied_(config.boards, 0),
      busy_(std::make_unique<std::atomic<std::uint8_t>[]>(config.boards)) {}

void SharedTriggers::begin(Time at, detector::EventTime origin) {
  bus_.begin(at, origin);
  origin_ = origin;
  publish();
  began_.store(at, std::memory_order_release);
}

void SharedTriggers::advance(Time now) {
  const bool due = next_.load(std::memory_order_acquire) < now;
  const bool reported =
      reports_.load(std::memory_order_relaxed) != reports_seen_.load(std::memory_order_relaxed);
  if ((!due && !reported) || !try_lock()) return;
  // `latest_` may be later than `now`, because another worker may have judged with a later time.
  latest_ = std::max(latest_, now);
  take_reports(latest_);
  judge(latest_);
  unlock();
}

/// Judges (accepts or vetoes) the candidates before `now`, but stops when one is accepted. After a
/// preemption, many candidates may be due at once. Boards must then have a chance to report that they are
/// busy before the next trigger is accepted.
void SharedTriggers::judge(Time now) {
  const std::uint64_t before = bus_.accepted();
  while (bus_.accepted() == before && bus_.next() < now) bus_.advance(bus_.next() + 1);
  const std::uint64_t after = bus_.accepted();
  if (after != before) {
    // Store this number before the triggers. A reader that finds a new trigger in the slot of an older one
    // then also sees, from overwritten_, that the older one was overwritten.
    overwritten_.store(after, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::uint64_t i = std::max(before, bus_.oldest()); i < after; ++i) {
      const detector::Trigger trigger = bus_.trigger(i);
      kept_[i % kKept].time.store(trigger.time, std::memory_order_relaxed);
      kept_[i % kKept].type.store(trigger.type, std::memory_order_relaxed);
    }
  }
  publish();
}

void SharedTriggers::publish() {
  accepted_.store(bus_.accepted(), std::memory_order_release);
  next_.store(bus_.next(), std::memory_order_release);
}

/// Tells the bus which boards have become busy or idle since the last call. The reports also apply to
/// candidates that are due but not yet judged.
void SharedTriggers::take_reports(Time now) {
  const Time at = std::min(now, bus_.next());
  const std::uint32_t reports = reports_.load(std::memory_order_acquire);
  if (reports == reports_seen_.load(std::memory_order_relaxed)) return;
  reports_seen_.store(reports, std::memory_order_relaxed);
  for (std::uint32_t b = 0; b < applied_.size(); ++b) {
    const std::uint8_t busy = busy_[b].load(std::memory_order_relaxed);
    if (busy == applied_[b]) continue;
    applied_[b] = busy;
    bus_.report(b, busy != 0, at);
  }
}

void SharedTriggers::report(std::uint32_t board, bool busy, Time now) {
  if (board >= applied_.size()) return;
  busy_[board].store(busy ? 1 : 0, std::memory_order_relaxed);
  reports_.fetch_add(1, std::memory_order_release);
  advance(now);
}

void SharedTriggers::end(Time at) {
  while (!try_lock()) std::this_thread::yield();
  bus_.end(at);
  publish();
  unlock();
}

std::uint64_t SharedTriggers::oldest() const {
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t overwritten = overwritten_.load(std::memory_order_relaxed);
  return overwritten < kKept ? 0 : overwritten - kKept;
}

detector::Trigger SharedTriggers::trigger(std::uint64_t event) const {
  const Slot& slot = kept_[event % kKept];
  return {event, slot.time.load(std::memory_order_relaxed), slot.type.load(std::memory_order_relaxed)};
}

}  // namespace softfeb::dataplane
