// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace softfeb::congestion {

std::size_t Homa::bytes(std::uint32_t messages) {
  const std::size_t size = sizeof(Homa) + messages * sizeof(Message);
  return (size + alignof(Homa) - 1) / alignof(Homa) * alignof(Homa);
}

Homa* Homa::make(void* place, const HomaParameters& parameters, std::uint32_t messages) {
  auto* const control = new (place) Homa(parameters, std::max(1U, messages));
  std::uninitialized_value_construct_n(control->messages(), control->capacity_);
  return control;
}

Homa::Homa(const HomaParameters& parameters, std::uint32_t messages)
    : CongestionControl(kOnAck | kOnGranted | kOnPosted | kCredit | kPriority | kRank),
      rules_(parameters),
      capacity_(messages),
      keep_order_(parameters.keep_order) {}

Homa::Message* Homa::messages() { return reinterpret_cast<Message*>(this + 1); }

const Homa::Message& Homa::message(std::uint32_t place) const {
  const std::uint32_t i = oldest_ + place;
  return std::launder(reinterpret_cast<const Message*>(this + 1))[i < capacity_ ? i : i - capacity_];
}

bool Homa::find_message(std::uint64_t packet) const {
  // After a go-back, `packet` may belong to an earlier message than the current one. In that case, search
  // from the oldest message.
  if (packet < current_.first) current_ = {0, 0, first_oldest_};
  current_.packets = 0;
  for (; current_.place < count_; ++current_.place) {
    const std::uint32_t packets = packets_at(current_.place);
    if (packet < current_.first + packets) {
      current_.packets = packets;
      return true;
    }
    current_.first += packets;
  }
  return false;
}

void Homa::on_posted(std::uint32_t length, std::uint64_t order, Time) {
  if (count_ == capacity_) return set_failed();
  const std::uint32_t i = oldest_ + count_++;
  std::launder(messages())[i < capacity_ ? i : i - capacity_] = {length, static_cast<std::uint32_t>(order)};
}

void Homa::on_granted(std::uint64_t packets, std::uint8_t priority, Time) {
  if (packets <= granted_) return;  // the grant is old or repeated
  granted_ = packets;
  scheduled_ = static_cast<std::uint8_t>(std::min<unsigned>(priority, rules_.scheduled_levels() - 1));
}

void Homa::on_ack(const Ack& ack, Time) {
  acked_ = std::max(acked_, ack.acked);
  while (count_ != 0 && first_oldest_ + packets_at(0) <= acked_) {
    first_oldest_ += packets_at(0);
    if (++oldest_ == capacity_) oldest_ = 0;
    --count_;
    if (current_.place == 0) {
      current_ = {0, 0, first_oldest_};
    } else {
      --current_.place;
    }
  }
}

std::uint64_t Homa::find_credit(std::uint64_t packet) const {
  if (!locate(packet)) return kNoCredit;
  return std::max(granted_, current_.first + rules_.unscheduled(current_.packets));
}

std::uint8_t Homa::choose_priority(std::uint64_t packet) {
  if (!locate(packet)) return kNoPriority;
  const bool unscheduled = packet - current_.first < rules_.unscheduled(current_.packets);
  std::uint8_t priority =
      unscheduled ? rules_.unscheduled_priority(message(current_.place).length) : scheduled_;
  // A packet must not overtake an earlier one of its queue pair: an RC responder would treat the earlier
  // packet as lost.
  const bool in_flight = last_ != kNeverSent && acked_ < highest_;
  if (in_flight && keep_order_) priority = std::min(priority, last_);
  last_ = priority;
  highest_ = std::max(highest_, packet + 1);
  return priority;
}

std::uint64_t Homa::find_rank(std::uint64_t packet) const {
  if (!locate(packet)) return UINT64_MAX;
  const std::uint64_t left = current_.first + current_.packets - packet;
  return left << 32 | message(current_.place).order;
}

CongestionState Homa::state(Time) const {
  CongestionState s;
  s.granted = granted_;
  if (failed()) s.failure = "more messages are unacknowledged than the send queue has room for";
  return s;
}

}  // namespace softfeb::congestion
