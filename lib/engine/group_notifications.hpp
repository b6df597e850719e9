// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_builder.hpp"
#include "engine/trigger_feed.hpp"
#include "latency/waiting_messages.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// Reports messages as notified when their window or event closes. It is the event sink of a receiver, and
/// passes events on.
class GroupNotifications final : public detector::EventSink {
 public:
  /// `next` (null: none) takes the events after this object. `triggers` tells when traffic began; null if the
  /// receiver does not build events.
  GroupNotifications(latency::Stamps& stamps, detector::EventSink* next, const TriggerFeed* triggers)
      : stamps_(&stamps), next_(next), triggers_(triggers) {}

  /// The message waits until window or event `number` (lower 32 bits) closes.
  void wait(latency::MessageKey key, std::uint32_t number) { waiting_.add(key, number); }
  void closed(std::uint64_t number, Time now) {
    waiting_.release(static_cast<std::uint32_t>(number), [&](latency::MessageKey key) {
      stamps_->put(key, latency::Stage::kNotified, stamps_->clock(now));
    });
  }
  /// All windows below `base` are closed. Messages wait for at most `ring` windows from the previous base on.
  void windows_closed(std::uint64_t base, std::uint64_t ring, Time now) {
    const std::uint64_t end = base_ + std::min(base - base_, ring);
    for (std::uint64_t n = base_; n < end; ++n) closed(n, now);
    base_ = base;
  }
  void on_closed(const detector::ClosedEvent& event) override {
    closed(event.event(), saturating_add(triggers_->began(), event.at()));
    if (next_ != nullptr) next_->on_closed(event);
  }

 private:
  latency::Stamps* stamps_;
  detector::EventSink* next_;
  const TriggerFeed* triggers_;
  latency::WaitingMessages waiting_;
  std::uint64_t base_ = 0;  ///< of the windows
};

}  // namespace softfeb::engine
