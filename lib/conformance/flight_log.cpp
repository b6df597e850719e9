// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/flight_log.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::conformance {

FlightLog::FlightLog(roce::Psn first, std::uint32_t window)
    : first_(first), packets_(std::bit_ceil(std::size_t{4} * std::max(window, 2U))) {}

std::int64_t FlightLog::number_of(roce::Psn psn) const {
  const roce::Psn newest = roce::psn_add(first_, static_cast<std::uint32_t>(next_));
  return next_ + roce::psn_diff(psn & roce::kPsnMask, newest);
}

bool FlightLog::known(std::int64_t number) const {
  return number >= 0 && number < next_ && next_ - number <= static_cast<std::int64_t>(packets_.size());
}

std::optional<std::uint64_t> FlightLog::sent(roce::Psn psn, std::optional<std::uint64_t> offset,
                                             std::uint32_t length, bool ends_message) {
  if (number_of(psn) != next_) return std::nullopt;
  const std::uint64_t from = offset.value_or(next_ == 0 ? 0 : at(next_ - 1).next_offset);
  if (ends_message) ++messages_;
  at(next_++) = {.next_offset = from + length, .messages = messages_};
  return from;
}

void FlightLog::delivered(roce::Psn psn) {
  const std::int64_t number = number_of(psn);
  if (number == expected_) {
    ++expected_;
  } else if (number > expected_) {
    ++out_of_sequence_;
  } else {
    ++duplicates_;
  }
  if (nak_ == psn) nak_.reset();
}

std::string FlightLog::answer(const Answer& answer) {
  if (!answer.aeth || answer.opcode != roce::kOpcodeRcAck) return {};
  const std::int64_t number = number_of(answer.psn);
  const std::string what =
      describe_opcode(answer.opcode, answer.aeth) + " PSN " + describe_psn(answer.psn, first_);
  if (number >= next_) return what + " for a packet that was not sent";
  if (answer.aeth->kind() == roce::AethKind::kRnrNak) {
    // The target drops all packets after the refused one, and may send another NAK 0x60 for them.
    nak_.reset();
    return {};
  }
  if (!answer.is_ack()) {
    if (answer.aeth->syndrome != 0x60) return {};
    const bool again = nak_ == answer.psn;
    nak_ = answer.psn;
    return again ? "second " + what + " although the packet has not come in between" : std::string();
  }
  if (!known(number)) return {};
  const std::uint64_t messages = at(number).messages & 0xffffff;
  if (answer.aeth->msn == messages) return {};
  return what + " has MSN " + std::to_string(answer.aeth->msn) + " instead of " + std::to_string(messages);
}

}  // namespace softfeb::conformance
