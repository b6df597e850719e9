// SPDX-License-Identifier: BSD-3-Clause
#include "engine/message_triggers.hpp"

#include "detector/event_header.hpp"
#include "engine/tx_frame.hpp"

#include <algorithm>
#include <array>

namespace softfeb::engine {

MessageTriggers::MessageTriggers(const TriggerFeed& run, std::uint32_t number)
    : run_(&run), number_(number), kept_(kKept) {}

void MessageTriggers::receive(const roce::ParsedFrame& frame, Time now) {
  std::array<std::uint8_t, detector::kTriggerMessageSize> bytes;
  const bool fits = frame.content.size() == bytes.size();
  const bool answerable = frame.source_port != 0 && (frame.source_mac[0] & 1) == 0;
  if (fits) frame.content.copy(0, bytes.size(), bytes.data());
  const auto message = fits && answerable ? detector::read_trigger_message(bytes) : std::nullopt;
  if (!message) {
    ++counts_.malformed;
  } else if (message->run != number_) {
    ++counts_.wrong_run;
  } else if (began() > now) {
    ++counts_.early;
  } else if (message->end_of_run) {
    ++counts_.ends;
    if (!over_) order_.end(message->event);
    over_ = true;
  } else if (over_ || !order_.accept(message->event)) {
    ++counts_.ignored;
  } else {
    route_ = DatagramRoute{frame.source_mac, frame.source_ip, frame.source_port, detector::kTriggerPort};
    accept(*message, now);
  }
}

void MessageTriggers::accept(const detector::TriggerMessage& message, Time now) {
  const Time arrived = now - began();
  Time time = detector::time_since(origin(), message.time);
  std::uint16_t flags = 0;
  if (time > arrived + kAhead || saturating_add(time, kOldest) < arrived) {
    ++counts_.wrong_time;
    flags = detector::kNotSynchronised;
    time = arrived;
  }
  if (time < last_) {
    ++counts_.clock_steps;
    time = last_;
  }
  last_ = time;
  kept_[counts_.accepted % kKept] = {{message.event, time, message.type}, flags};
  ++counts_.accepted;
}

void MessageTriggers::report(std::uint32_t board, bool busy, Time now) {
  board_ = static_cast<std::uint16_t>(board);
  busy_ = busy;
  busy_due_ = now;
}

bool MessageTriggers::write_busy(const Identity& from, std::uint16_t identification, Time now, TxFrame& out) {
  if (busy_due() > now) return false;
  busy_due_ = busy_ ? now + kRepeat : kNever;
  std::array<std::uint8_t, detector::kTriggerMessageSize> message;
  detector::write_busy_message({.board = board_,
                                .busy = busy_,
                                .run = number_,
                                .time = detector::time_after(origin(), now - std::min(now, began())),
                                .event = counts_.accepted == 0 ? 0 : trigger(counts_.accepted - 1).event},
                               message.data());
  out = TxFrame{.header = out.header};
  out.header_length =
      static_cast<std::uint16_t>(write_control_frame(from, *route_, message, identification, out.header));
  return true;
}

}  // namespace softfeb::engine
