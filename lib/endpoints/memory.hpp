// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/message_lengths.hpp"
#include "board/message_plan.hpp"
#include "roce/payload.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace softfeb::endpoints {

/// Memory of a receiver's regions, contiguous and zeroed. The constructor faults the memory in if the
/// receiver runs on this host, so that packets cause no page faults.
class ReceiverMemory {
 public:
  /// `is_here` tells whether the receiver runs on this host. Throws EnvironmentError if there is not enough
  /// memory.
  explicit ReceiverMemory(std::uint64_t bytes, bool is_here = true);
  ~ReceiverMemory();
  ReceiverMemory(const ReceiverMemory&) = delete;
  ReceiverMemory& operator=(const ReceiverMemory&) = delete;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// Memory of a receiver that acts as the host of one board's metadata bus. The memory is faulted in on
/// demand, by first().
class HostMemory {
 public:
  /// Throws EnvironmentError.
  explicit HostMemory(std::uint64_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Faults in the first `bytes` bytes, or all if there are fewer, and returns the address of the first byte.
  std::uint8_t* first(std::uint64_t bytes);
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t present_ = 0;
};

/// One queue pair's memory at its receiver, zeroed before the run, and the messages written to it: message n
/// goes to slot n mod `slots`.
struct WrittenMemory {
  std::span<const std::uint8_t> memory;  ///< the QP's whole region
  const roce::PayloadStream* payload = nullptr;
  board::MessagePlan plan = board::MessagePlan::endless(0);
  std::uint32_t pmtu = 4096;
  std::uint64_t slots = 1;
  std::uint64_t messages = 0;  ///< number of completely written messages, numbered from 0
  MessageLengths lengths{};    ///< lengths of the messages if they are random; if empty, `plan` gives them
};

/// Returns the number of bytes that differ from what the messages wrote. Each slot must begin with the last
/// message that was written to it. If lengths are random, the bytes after this message must be those of
/// earlier, longer messages, or 0. If lengths are fixed, the bytes after this message are not checked. Slots
/// that no message was written to must be 0. Packets whose content `payload` cannot provide are not checked.
std::uint64_t bytes_out_of_place(const WrittenMemory& w);

/// Counts nonzero bytes.
std::uint64_t bytes_not_zero(std::span<const std::uint8_t> memory);

}  // namespace softfeb::endpoints
