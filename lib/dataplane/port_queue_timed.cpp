// SPDX-License-Identifier: BSD-3-Clause
// A port queue whose port sends packets at given times. Instead of collecting what is due now, an iteration
// replays all events since the previous iteration in order, as in virtual time. Each packet is crafted for
// its scheduled time, even if the worker is late by up to the slack, and departs one horizon after that
// time.
#include "dataplane/departure_stamps.hpp"
#include "dataplane/port_queue.hpp"

#include <algorithm>

namespace softfeb::dataplane {

namespace {
/// Maximum number of bursts per iteration. A worker that needs more was preempted; the remaining frames are
/// scheduled no earlier than the time of this iteration.
constexpr unsigned kBursts = 8;
}  // namespace

bool PortQueue::run_timed(Time now) {
  if (turned_at_ == 0) turned_at_ = now;
  const Time slack = deps_.stamps->slack();
  const Time oldest = now > slack ? now - slack : 0;
  const Time due = std::max(turned_at_, next_event(now));
  if (due < oldest) deps_.stamps->was_late(oldest - due);
  scheduled_ = std::max(turned_at_, oldest);
  bool sent = false;
  // Replay the schedule before receiving. Packets received in this iteration arrive at `now`, so responses
  // to them must not depart earlier.
  for (unsigned i = 0; i < kBursts && scheduled_ < now; ++i) sent = transmit_timed(now) || sent;
  turned_at_ = scheduled_ = now;
  return receive(now) || sent;
}

bool PortQueue::transmit_timed(Time now) {
  enter(engine::Stage::kBuild);
  if (!offer_pending()) {
    for (Seat& seat : seats_) seat.endpoint->poll(now, {});
    scheduled_ = now;
    return false;
  }
  if (acquired_ < config_.burst) {
    acquired_ += deps_.builder->acquire({frames_.data() + acquired_, config_.burst - acquired_},
                                        {buffers_.data() + acquired_, config_.burst - acquired_});
  }
  collect_timed(now);
  const std::size_t control = take_control_frames(pending_, now);
  const std::size_t waiting = filled_;
  const std::size_t built = build(std::span(pending_).subspan(control));
  deps_.stamps->stamp({pending_.data() + control, built}, {departures_.data(), built});
  std::copy(departures_.begin() + static_cast<std::ptrdiff_t>(built),
            departures_.begin() + static_cast<std::ptrdiff_t>(waiting), departures_.begin());
  const std::size_t n = control + built;
  if (n == 0 && (deps_.tx_faults == nullptr || !deps_.tx_faults->active())) return false;
  send(n, now);
  return n != 0;
}

/// Collects frames until no endpoint is due before or at `now`, or until all buffers are used.
void PortQueue::collect_timed(Time now) {
  while (filled_ < acquired_) {
    Seat* const seat = next_to_send();
    const Time at = seat == nullptr ? kNever : std::max(seat->wake, scheduled_);
    if (at > now) {
      scheduled_ = now;
      return;
    }
    scheduled_ = at;
    const std::size_t n = seat->endpoint->poll(at, {frames_.data() + filled_, acquired_ - filled_});
    std::fill_n(departures_.begin() + static_cast<std::ptrdiff_t>(filled_), n, at);
    filled_ += n;
    seat->wake = seat->endpoint->next_event(at);
    // The endpoint is due but produced nothing: poll it again in the next iteration.
    if (n == 0 && seat->wake <= at) seat->wake = now + 1;
    if (capturing()) look_for_incidents(*seat);
  }
}

PortQueue::Seat* PortQueue::next_to_send() {
  const auto seat = std::min_element(seats_.begin(), seats_.end(),
                                     [](const Seat& a, const Seat& b) { return a.wake < b.wake; });
  return seat == seats_.end() ? nullptr : &*seat;
}

}  // namespace softfeb::dataplane
