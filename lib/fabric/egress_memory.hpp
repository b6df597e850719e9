// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// The bytes that a frame needs, and the bytes in use to which limits apply.
struct MemoryClaim {
  std::uint64_t bytes = 0;        ///< memory that the frame occupies
  std::uint64_t shared = 0;       ///< the part of `bytes` that comes from the shared buffer
  std::uint64_t port_bytes = 0;   ///< used bytes of the egress port, beyond the minima of its queues
  std::uint64_t queue_bytes = 0;  ///< used bytes of the egress queue, beyond its minimum
};

/// Accounts for the memory that the egress queues of a switch occupy. Counts cells instead of bytes of
/// frames, and reserves a minimum for each queue. The first bytes in a queue, up to this minimum, are not in
/// shared memory, no matter which frames these bytes belong to.
class EgressMemory {
 public:
  EgressMemory(const SwitchConfig& config, std::size_t ports);

  /// Returns true if the configuration needs this class. If it does not, a frame occupies exactly as many
  /// bytes as its length, and all these bytes are in the shared buffer.
  static bool needed(const SwitchConfig& config);

  std::uint64_t occupied(std::uint32_t length) const {
    return (std::uint64_t{length} + overhead_ + cell_ - 1) / cell_ * cell_;
  }
  /// Returns the memory that a frame of `length` bytes needs to enter a queue of port `port` (numbered from 0
  /// in this switch).
  MemoryClaim claim(std::uint32_t length, std::size_t port, std::size_t queue) const;
  /// Counts a frame that occupies `bytes` bytes in a queue of a port. `headroom` is true if the frame is
  /// stored in headroom.
  void add(std::uint64_t bytes, std::size_t port, std::size_t queue, bool headroom);
  /// Reverses add() with the same arguments. Returns how many of the bytes were in shared memory.
  std::uint64_t remove(std::uint64_t bytes, std::size_t port, std::size_t queue, bool headroom);

 private:
  struct Account {
    std::array<std::uint64_t, kQueues> all{};     ///< bytes of all frames of the queue
    std::array<std::uint64_t, kQueues> stored{};  ///< bytes of the queue's frames that are not in the
                                                  ///< headroom
    std::uint64_t beyond = 0;                     ///< sum over all queues of the bytes beyond the minimum
  };

  std::uint64_t beyond(std::uint64_t bytes, std::size_t queue) const {
    return bytes - std::min(bytes, minimum_[queue]);
  }

  std::uint64_t cell_;
  std::uint64_t overhead_;
  std::array<std::uint64_t, kQueues> minimum_{};
  std::vector<Account> accounts_;
};

}  // namespace softfeb::fabric
