// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/message_plan.hpp"
#include "roce/payload.hpp"

#include <cstdint>
#include <span>

namespace softfeb::lab {

/// One queue pair's memory at its receiver, zero before the run, and what was written to it: message n to
/// slot n mod `slots`.
struct WrittenMemory {
  std::span<const std::uint8_t> memory;  ///< all of its region
  const roce::PayloadStream* payload = nullptr;
  board::MessagePlan plan = board::MessagePlan::endless(0);
  std::uint32_t pmtu = 4096;
  std::uint64_t slots = 1;
  std::uint64_t messages = 0;  ///< that were written whole: 0 … messages - 1
};

/// Bytes of the memory that are not what the messages left there: in slots that were written, bytes unlike
/// those of the last message; elsewhere, bytes that are not 0. Messages longer than what `payload` can give
/// are passed over.
std::uint64_t bytes_out_of_place(const WrittenMemory& w);

/// Bytes that are not 0.
std::uint64_t bytes_not_zero(std::span<const std::uint8_t> memory);

}  // namespace softfeb::lab
