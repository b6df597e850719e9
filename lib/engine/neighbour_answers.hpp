// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/hash_chains.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::engine {

/// Queue of pending ARP replies and neighbour advertisements, oldest first. Contains at most one entry per
/// requester, regardless of the number of its requests. Memory is fixed: kMost requesters (15 KiB).
class NeighbourAnswers {
 public:
  static constexpr std::size_t kMost = 512;

  struct Asker {
    roce::MacAddress mac{};
    roce::IpAddress ip;
    bool operator==(const Asker&) const = default;
  };

  NeighbourAnswers() : index_(kMost) {}

  bool empty() const { return count_ == 0; }
  const Asker& front() const { return ring_[first_]; }

  /// Returns false if the queue is full. The requester then gets no answer until it repeats its request.
  bool push(const Asker& asker) {
    const std::uint64_t hash = hash_of(asker.ip);
    const bool owed =
        index_.find(hash, [&](std::uint32_t i) { return ring_[i] == asker; }) != HashChains::kNone;
    if (owed) return true;
    if (count_ == kMost) return false;
    const std::size_t i = (first_ + count_++) % kMost;
    ring_[i] = asker;
    index_.insert(hash, static_cast<std::uint32_t>(i));
    return true;
  }

  /// Requires !empty().
  void pop() {
    index_.erase(hash_of(front().ip), static_cast<std::uint32_t>(first_));
    first_ = (first_ + 1) % kMost;
    --count_;
  }

 private:
  std::array<Asker, kMost> ring_{};
  HashChains index_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace softfeb::engine
