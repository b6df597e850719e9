// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_receiver.hpp"

#include <algorithm>

namespace softfeb::congestion {

/// Orders messages by the number of packets still to be received, then by age.
auto HomaReceiver::by_length() const {
  return [this](std::uint32_t a, std::uint32_t b) {
    const Message &x = messages_[a], &y = messages_[b];
    const std::uint32_t left_x = x.packets - x.received, left_y = y.packets - y.received;
    return left_x != left_y ? left_x < left_y : x.born < y.born;
  };
}

auto HomaReceiver::by_best_message() const {
  return [this](std::uint32_t a, std::uint32_t b) { return by_length()(shortest_[a], shortest_[b]); };
}

auto HomaReceiver::by_check() const {
  return [this](std::uint32_t a, std::uint32_t b) { return messages_[a].check < messages_[b].check; };
}

HomaReceiver::HomaReceiver(const HomaParameters& parameters, Capacity capacity,
                           std::pmr::memory_resource* memory)
    : rules_(parameters),
      overcommit_(std::min(parameters.overcommit, capacity.peers)),
      resend_interval_(parameters.resend_interval),
      messages_(capacity.messages, memory),
      lengths_(capacity.messages, memory),
      shortest_(capacity.peers, kNone, memory),
      peers_(capacity.peers, memory),
      checks_(capacity.messages, memory),
      active_(memory),
      frontier_(memory),
      grants_(memory),
      resends_(memory) {
  active_.reserve(overcommit_);
  frontier_.reserve(std::size_t{overcommit_} + 1);
  // A call returns at most one grant per message. Reserve at least one entry, because a message beyond the
  // capacity is granted too, even if the capacity is 0.
  grants_.reserve(std::max<std::size_t>(1, capacity.messages));
  resends_.reserve(capacity.messages);
}

std::span<const HomaReceiver::Grant> HomaReceiver::first(Time now, std::uint32_t message, std::uint32_t peer,
                                                         std::uint32_t length) {
  const std::uint32_t packets = rules_.packets(length);
  if (message >= messages_.size() || peer >= shortest_.size())
    return grant_unscheduled_rest(message, packets);
  const bool replaced = known(message);
  if (replaced) remove(message);
  Message& m = messages_[message];
  m = {.born = born_++,
       .heard = now,
       .peer = peer,
       .packets = packets,
       .granted = rules_.unscheduled(packets)};
  if (waiting(m)) add_waiting(message);
  watch(message);
  return accept(now, message, replaced);
}

/// Handles a message beyond the capacity, which is not scheduled: grants all packets that need a grant.
std::span<const HomaReceiver::Grant> HomaReceiver::grant_unscheduled_rest(std::uint32_t message,
                                                                          std::uint32_t packets) {
  grants_.clear();
  if (rules_.unscheduled(packets) < packets) grants_.push_back({message, packets, 0});
  return grants_;
}

std::span<const HomaReceiver::Grant> HomaReceiver::data(Time now, std::uint32_t message) {
  return in_progress(message) ? accept(now, message, false) : std::span<const Grant>();
}

/// Counts a packet of `message` and returns the grants that are due. `others_may` is true if `message`
/// replaced an unfinished message. Grants for other messages may then be due even if `message` waits for
/// none.
std::span<const HomaReceiver::Grant> HomaReceiver::accept(Time now, std::uint32_t message, bool others_may) {
  Message& m = messages_[message];
  m.heard = now;
  const bool was_waiting = waiting(m);
  if (m.received + 1 == m.packets) {
    remove(message);
  } else {
    ++m.received;
    if (was_waiting) shorten_waiting(message);
  }
  // A packet of a fully granted message changes neither the order nor the grants of the other messages.
  return was_waiting || others_may ? grant() : std::span<const Grant>();
}

void HomaReceiver::busy(Time now, std::uint32_t message) {
  if (in_progress(message)) messages_[message].heard = now;
}

std::span<const HomaReceiver::Grant> HomaReceiver::forget(std::uint32_t message) {
  if (!in_progress(message)) return {};
  remove(message);
  return grant();
}

void HomaReceiver::remove(std::uint32_t message) {
  if (waiting(messages_[message])) remove_waiting(message);
  if (checks_.contains(message)) checks_.erase(first_check_, message, by_check());
  messages_[message].packets = 0;
}

void HomaReceiver::add_waiting(std::uint32_t message) {
  const std::uint32_t peer = messages_[message].peer;
  std::uint32_t& shortest = shortest_[peer];
  const std::uint32_t before = shortest;
  lengths_.push(shortest, message, by_length());
  if (before == kNone) {
    peers_.push(best_peer_, peer, by_best_message());
  } else if (shortest == message) {
    peers_.decreased(best_peer_, peer, by_best_message());
  }
}

void HomaReceiver::remove_waiting(std::uint32_t message) {
  const std::uint32_t peer = messages_[message].peer;
  std::uint32_t& shortest = shortest_[peer];
  const bool was_shortest = shortest == message;
  if (was_shortest) peers_.erase(best_peer_, peer, by_best_message());
  lengths_.erase(shortest, message, by_length());
  if (was_shortest && shortest != kNone) peers_.push(best_peer_, peer, by_best_message());
}

/// Updates the queue of waiting messages after a packet has arrived for `message`, which is in this queue.
void HomaReceiver::shorten_waiting(std::uint32_t message) {
  const std::uint32_t peer = messages_[message].peer;
  lengths_.decreased(shortest_[peer], message, by_length());
  if (shortest_[peer] == message) peers_.decreased(best_peer_, peer, by_best_message());
}

/// Repeats grant_round() until it makes no further message fully granted. Each message that becomes fully
/// granted makes room for another message, which may receive grants in the next round.
std::span<const HomaReceiver::Grant> HomaReceiver::grant() {
  grants_.clear();
  while (grant_round()) {
  }
  return grants_;
}

/// Returns whether a message became fully granted.
bool HomaReceiver::grant_round() {
  active_.clear();
  peers_.smallest(best_peer_, overcommit_, active_, frontier_, by_best_message());
  const std::size_t before = grants_.size();
  for (std::size_t rank = 0; rank < active_.size(); ++rank) {
    const std::uint32_t message = shortest_[active_[rank]];
    Message& m = messages_[message];
    const auto wanted = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(m.packets, std::uint64_t{m.received} + rules_.rtt_packets()));
    if (wanted <= m.granted) continue;
    m.granted = wanted;
    m.priority = rules_.scheduled_priority(rank, active_.size());
    grants_.push_back({message, wanted, m.priority});
    watch(message);
  }
  bool any = false;
  for (std::size_t k = before; k < grants_.size(); ++k) {
    if (waiting(messages_[grants_[k].message])) continue;
    remove_waiting(grants_[k].message);
    any = true;
  }
  return any;
}

/// Makes timer() check a message that is now waiting for packets. If an earlier call has already set the time
/// of the check, that time is kept; it may be too early, but not too late.
void HomaReceiver::watch(std::uint32_t message) {
  if (checks_.contains(message)) return;
  Message& m = messages_[message];
  m.check = saturating_add(m.heard, resend_interval_);
  checks_.push(first_check_, message, by_check());
}

std::span<const HomaReceiver::Resend> HomaReceiver::timer(Time now) {
  resends_.clear();
  while (first_check_ != kNone && messages_[first_check_].check <= now) {
    const std::uint32_t message = first_check_;
    checks_.erase(first_check_, message, by_check());
    Message& m = messages_[message];
    if (m.received >= m.granted) continue;  // the next grant calls watch() again
    if (now - m.heard >= resend_interval_) {
      m.heard = now;
      resends_.push_back({message, m.received, m.granted, m.priority});
    }
    watch(message);
  }
  std::sort(resends_.begin(), resends_.end(), [this](const Resend& a, const Resend& b) {
    return messages_[a.message].born < messages_[b.message].born;
  });
  return resends_;
}

Time HomaReceiver::deadline() const { return first_check_ == kNone ? kNever : messages_[first_check_].check; }

}  // namespace softfeb::congestion
