// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_builder.hpp"
#include "engine/trigger_feed.hpp"
#include "latency/waiting_messages.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// The application is notified of a message when the window or event that contains the message closes. This
/// class records the time of the notification (Stage::kNotified) of each message. An object of this class is
/// the event sink of a receiver, and passes the events on to the next sink.
class GroupNotifications final : public detector::EventSink {
 public:
  /// `next` receives the events after this object; null if there is no next sink. `triggers` tells when
  /// traffic began; null if the receiver does not build events.
  GroupNotifications(latency::Stamps& stamps, detector::EventSink* next, const TriggerFeed* triggers)
      : stamps_(&stamps), next_(next), triggers_(triggers) {}

  /// Stores a message until its window or event closes. `number` is the lower 32 bits of the number of this
  /// window or event.
  void wait(latency::MessageKey key, std::uint32_t number) { waiting_.add(key, number); }
  void closed(std::uint64_t number, Time now) {
    waiting_.release(static_cast<std::uint32_t>(number), [&](latency::MessageKey key) {
      stamps_->put(key, latency::Stage::kNotified, stamps_->clock(now));
    });
  }
  /// Releases the messages of the windows that have closed since the last call: from the previous base up to
  /// `base`. Only the first `ring` windows, counted from the previous base, can have waiting messages, so
  /// later windows need no check.
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
  std::uint64_t base_ = 0;  ///< base of the windows at the last call of windows_closed()
};

}  // namespace softfeb::engine
