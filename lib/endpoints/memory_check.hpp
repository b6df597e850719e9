// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/message_plan.hpp"
#include "roce/payload.hpp"

#include <cstdint>
#include <span>

namespace softfeb::endpoints {

/// One queue pair's memory at its receiver, zeroed before the run, and what was written to it: message n goes
/// to slot n mod `slots`.
struct WrittenMemory {
  std::span<const std::uint8_t> memory;  ///< the whole region
  const roce::PayloadStream* payload = nullptr;
  board::MessagePlan plan = board::MessagePlan::endless(0);
  std::uint32_t pmtu = 4096;
  std::uint64_t slots = 1;
  std::uint64_t messages = 0;  ///< number of completely written messages: 0 … messages - 1
};

/// Counts bytes that differ from what the messages left: in written slots, bytes that differ from the last
/// message; elsewhere, bytes that are not 0. Skips packets whose content `payload` cannot provide.
std::uint64_t bytes_out_of_place(const WrittenMemory& w);

/// Counts nonzero bytes.
std::uint64_t bytes_not_zero(std::span<const std::uint8_t> memory);

}  // namespace softfeb::endpoints
