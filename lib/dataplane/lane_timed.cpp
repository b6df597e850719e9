// SPDX-License-Identifier: BSD-3-Clause
// A lane whose port sends packets at given times. Instead of asking what is due now, a turn goes through all
// that happened since the last one in its order, event by event, as in virtual time: each packet is made at
// the very time its schedule has for it, however late the worker is, and leaves one horizon after that.
#include "dataplane/departure_stamps.hpp"
#include "dataplane/lane.hpp"

#include <algorithm>

namespace softfeb::dataplane {

namespace {
/// Of one turn. A worker that needs more has been away; what is left is of the turn's own time.
constexpr unsigned kBursts = 8;
}  // namespace

bool Lane::run_timed(Time now) {
  if (turned_at_ == 0) turned_at_ = now;
  const Time slack = parts_.stamps->slack();
  const Time oldest = now > slack ? now - slack : 0;
  const Time due = std::max(turned_at_, next_event(now));
  if (due < oldest) parts_.stamps->was_late(oldest - due);
  scheduled_ = std::max(turned_at_, oldest);
  bool sent = false;
  // What arrived by now is of now: nothing may be made of it before.
  for (unsigned i = 0; i < kBursts && scheduled_ < now; ++i) sent = transmit_timed(now) || sent;
  turned_at_ = scheduled_ = now;
  return receive(now) || sent;
}

bool Lane::transmit_timed(Time now) {
  if (!offer_pending()) {
    for (Seat& seat : seats_) seat.endpoint->poll(now, {});
    scheduled_ = now;
    return false;
  }
  if (acquired_ < config_.burst) {
    acquired_ += parts_.builder->acquire({frames_.data() + acquired_, config_.burst - acquired_},
                                         {buffers_.data() + acquired_, config_.burst - acquired_});
  }
  collect_timed(now);
  const std::size_t control = take_control_frames(pending_, now);
  const std::size_t waiting = filled_;
  const std::size_t built = build(std::span(pending_).subspan(control));
  parts_.stamps->stamp({pending_.data() + control, built}, {departures_.data(), built});
  std::copy(departures_.begin() + static_cast<std::ptrdiff_t>(built),
            departures_.begin() + static_cast<std::ptrdiff_t>(waiting), departures_.begin());
  const std::size_t n = control + built;
  if (n == 0 && (parts_.tx_faults == nullptr || !parts_.tx_faults->active())) return false;
  send(n, now);
  return n != 0;
}

/// Until there is nothing more up to `now`, or no buffer.
void Lane::collect_timed(Time now) {
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
    // It says that there is something and does nothing: another turn will do.
    if (n == 0 && seat->wake <= at) seat->wake = now + 1;
    if (capturing()) look_for_incidents(*seat);
  }
}

Lane::Seat* Lane::next_to_send() {
  const auto seat = std::min_element(seats_.begin(), seats_.end(),
                                     [](const Seat& a, const Seat& b) { return a.wake < b.wake; });
  return seat == seats_.end() ? nullptr : &*seat;
}

}  // namespace softfeb::dataplane
