// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_sender.hpp"

#include <algorithm>

namespace softfeb::congestion {

auto HomaSender::by_packets_left() const {
  return [this](std::uint32_t a, std::uint32_t b) {
    const Lane &p = lanes_[a], &q = lanes_[b];
    const Message &x = messages_[p.current], &y = messages_[q.current];
    const std::uint64_t left_x = x.end() - p.next, left_y = y.end() - q.next;
    return left_x != left_y ? left_x < left_y : x.posted < y.posted;
  };
}

HomaSender::HomaSender(const HomaParameters& parameters, Capacity capacity, std::pmr::memory_resource* memory)
    : rules_(parameters),
      keep_order_(parameters.keep_order),
      lanes_(capacity.lanes, memory),
      messages_(capacity.messages, memory),
      free_(capacity.messages == 0 ? kNone : 0),
      ready_(capacity.lanes, memory) {
  for (std::uint32_t i = 1; i < capacity.messages; ++i) messages_[i - 1].following = i;
}

bool HomaSender::post(std::uint32_t lane, std::uint32_t length) {
  if (free_ == kNone) return false;
  const std::uint32_t i = free_;
  Message& m = messages_[i];
  free_ = m.following;
  Lane& q = lanes_[lane];
  m = {.first = q.end, .posted = posted_++, .length = length, .packets = rules_.packets(length)};
  q.end = m.end();
  (q.oldest == kNone ? q.oldest : messages_[q.newest].following) = i;
  q.newest = i;
  if (q.current == kNone) q.current = i;
  schedule(lane);
  return true;
}

void HomaSender::grant(std::uint32_t lane, std::uint64_t granted, std::uint8_t priority) {
  Lane& q = lanes_[lane];
  if (granted <= q.granted) return;
  q.granted = granted;
  q.scheduled = static_cast<std::uint8_t>(std::min<unsigned>(priority, rules_.scheduled_levels() - 1));
  schedule(lane);
}

HomaSender::ResendAnswer HomaSender::resend(std::uint32_t lane, std::uint64_t first, std::uint64_t granted,
                                            std::uint8_t priority) {
  grant(lane, granted, priority);
  const Lane& q = lanes_[lane];
  if (first < q.acked) return ResendAnswer::kNone;
  if (first >= q.highest) return ResendAnswer::kBusy;
  go_back(lane);
  return ResendAnswer::kGoBack;
}

void HomaSender::ack(std::uint32_t lane, std::uint64_t acked) {
  Lane& q = lanes_[lane];
  if (acked <= q.acked || acked > q.highest) return;
  q.acked = acked;
  const bool skips = q.next < acked;  // possible only after go_back()
  if (skips) {
    q.next = acked;
    follow(q);
  }
  while (q.oldest != kNone && messages_[q.oldest].end() <= acked) {
    const std::uint32_t done = q.oldest;
    q.oldest = messages_[done].following;
    messages_[done].following = free_;
    free_ = done;
  }
  if (skips) reschedule(lane);
}

void HomaSender::go_back(std::uint32_t lane) {
  Lane& q = lanes_[lane];
  q.next = q.acked;
  q.current = q.oldest;  // the oldest message that is not fully acknowledged
  reschedule(lane);
}

std::optional<std::uint32_t> HomaSender::next_lane() const {
  return best_ == kNone ? std::nullopt : std::optional(best_);
}

std::optional<HomaSender::Packet> HomaSender::send() {
  if (best_ == kNone) return std::nullopt;
  const std::uint32_t lane = best_;
  Lane& q = lanes_[lane];
  const Message& m = messages_[q.current];
  const bool unscheduled = q.next - m.first < rules_.unscheduled(m.packets);
  std::uint8_t priority = unscheduled ? rules_.unscheduled_priority(m.length) : q.scheduled;
  // A packet must not overtake an earlier one of its queue pair: an RC responder would treat the earlier
  // packet as lost.
  const bool in_flight = q.last != kNeverSent && q.acked < q.highest;
  if (in_flight && keep_order_) priority = std::min(priority, q.last);
  const std::uint64_t number = q.next++;
  // Request an ACK if no packet may follow this one. Otherwise the loss of this packet would go unnoticed.
  const bool ack_req = q.next == m.end() || q.next >= limit(q, m);
  q.last = priority;
  q.highest = std::max(q.highest, q.next);
  const std::uint32_t message = q.current;
  follow(q);
  // The lane that was first remains first, because its message now has one packet less to send.
  if (q.current != message || !may_send(q)) reschedule(lane);
  return Packet{lane, number, priority, ack_req};
}

/// Number of the first packet that may not leave: packets below it are unscheduled or granted.
std::uint64_t HomaSender::limit(const Lane& q, const Message& m) const {
  return std::max(q.granted, m.first + rules_.unscheduled(m.packets));
}

bool HomaSender::may_send(const Lane& q) const {
  return q.current != kNone && q.next < limit(q, messages_[q.current]);
}

/// Moves `current` to the message of packet `next`.
void HomaSender::follow(Lane& q) {
  while (q.current != kNone && messages_[q.current].end() <= q.next)
    q.current = messages_[q.current].following;
}

/// Call this after the number of packets left to send has changed, except by send().
void HomaSender::reschedule(std::uint32_t lane) {
  if (ready_.contains(lane)) ready_.erase(best_, lane, by_packets_left());
  schedule(lane);
}

/// Call this after a lane may have become able to send.
void HomaSender::schedule(std::uint32_t lane) {
  if (!ready_.contains(lane) && may_send(lanes_[lane])) ready_.push(best_, lane, by_packets_left());
}

}  // namespace softfeb::congestion
