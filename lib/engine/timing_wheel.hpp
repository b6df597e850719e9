// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/divider.hpp"
#include "base/prefetch.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Hierarchical timing wheel (Varghese and Lauck) for a fixed set of entries, such as the departures or
/// timers of queue pairs. Each entry is scheduled for at most one time. Scheduling, moving and cancelling
/// take constant time; the cost of advancing depends on the number of expired entries, not on the number of
/// elapsed ticks. Entries expire at their exact time, not at the time of their slot.
///
/// A wheel with a single entry, such as that of a board with one queue pair, has no slots.
class TimingWheel {
 public:
  /// Entries are numbered 0…`entries` − 1. Throws std::length_error if `entries` is 2^26 − 1 or more.
  /// `tick` is the width of the finest slots. There are four levels of 256 slots.
  TimingWheel(std::size_t entries, Time tick,
              std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// Schedules entry `id` for `at`. Moves the entry if it is already scheduled.
  void schedule(std::uint32_t id, Time at) {
    if (scheduled(id)) unlink(id);
    nodes_[id].at = at;
    link(id);
  }
  void cancel(std::uint32_t id) {
    if (scheduled(id)) unlink(id);
  }
  bool scheduled(std::uint32_t id) const { return nodes_[id].slot != kNoSlot; }
  /// Expiry time of entry `id`, which must be scheduled.
  Time at(std::uint32_t id) const { return nodes_[id].at; }

  /// Prefetches entry `id`.
  void prefetch(std::uint32_t id) const { softfeb::prefetch(&nodes_[id]); }

  /// Removes every entry with at ≤ now and calls expire(id) for each; `expire` may schedule entries. Before
  /// each entry expires, calls ahead(id) for the entry that may expire next. `now` must not decrease.
  template <typename Fn, typename Ahead>
  void advance(Time now, Fn&& expire, Ahead&& ahead) {
    if (single()) return advance_single(now, expire);
    const std::uint64_t target = tick_.quotient(now);
    if (empty()) {
      current_ = std::max(current_, target);
      return;
    }
    for (;;) {
      drain(now, current_ < target, expire, ahead);
      if (current_ >= target) return;
      step(target);
    }
  }

  template <typename Fn>
  void advance(Time now, Fn&& expire) {
    advance(now, expire, [](std::uint32_t /*id*/) {});
  }

  /// Lower bound on the next expiry time, exact within the range of the finest level (256 ticks) and for a
  /// single entry. kNever if nothing is scheduled.
  Time next() const {
    if (!single()) return next_in_slots();
    return scheduled(0) ? nodes_[0].at : kNever;
  }
  /// Memory of the entries in bytes.
  std::size_t memory() const { return nodes_.size() * sizeof(Node); }
  bool empty() const {
    return single() ? !scheduled(0) : (counts_[0] | counts_[1] | counts_[2] | counts_[3]) == 0;
  }

 private:
  static constexpr unsigned kIdBits = 26;
  static constexpr std::uint32_t kNone = (1U << kIdBits) - 1;
  static constexpr unsigned kLevels = 4;
  static constexpr unsigned kBits = 8;
  static constexpr std::uint32_t kSlots = 1U << kBits;
  static constexpr unsigned kSlotBits = 11;
  static constexpr std::uint32_t kNoSlot = (1U << kSlotBits) - 1;

  /// A node has 16 bytes, so it never spans two cache lines.
  struct Node {
    Time at = 0;
    std::uint64_t next : kIdBits = kNone;
    std::uint64_t previous : kIdBits = kNone;
    std::uint64_t slot : kSlotBits = kNoSlot;  ///< level · 256 + index, or kNoSlot
  };
  static_assert(sizeof(Node) == 16);

  bool single() const { return nodes_.size() == 1; }
  void link(std::uint32_t id) {
    if (!single()) return link_to_slot(id);
    nodes_[id].slot = 0;
  }
  void unlink(std::uint32_t id) {
    if (!single()) return unlink_from_slot(id);
    nodes_[id].slot = kNoSlot;
  }
  void link_to_slot(std::uint32_t id);
  void unlink_from_slot(std::uint32_t id);
  Time next_in_slots() const;

  /// Expires a single entry. If `expire` schedules the entry again for `now`, the entry expires only in the
  /// next call, as an entry in a slot does.
  template <typename Fn>
  void advance_single(Time now, Fn&& expire) {
    while (scheduled(0) && nodes_[0].at <= now) {
      nodes_[0].slot = kNoSlot;
      expire(0);
      if (nodes_[0].at == now) return;
    }
  }
  std::uint32_t detach(std::uint32_t slot);
  void cascade(unsigned level);
  /// Advances to the next tick with a non-empty slot, or to `target` if that is earlier.
  void step(std::uint64_t target);
  /// First tick, after current_, of the next non-empty slot of level 0 (next_fine()) or of the other levels
  /// (next_coarse()). UINT64_MAX if there is none.
  std::uint64_t next_fine() const { return next_of(0); }
  std::uint64_t next_coarse() const;
  std::uint64_t next_of(unsigned level) const;
  /// Time of the earliest entry in a non-empty slot.
  Time first_in(std::uint32_t slot) const;

  /// Expires the due entries of the current slot. `past` is true if the whole slot is in the past. In this
  /// case, repeats until the slot is empty, because `expire` may add entries to it.
  template <typename Fn, typename Ahead>
  void drain(Time now, bool past, Fn&& expire, Ahead&& ahead) {
    const auto slot = static_cast<std::uint32_t>(current_ & (kSlots - 1));
    while (heads_[slot] != kNone) {
      std::uint32_t id = detach(slot);
      while (id != kNone) {
        const auto following = static_cast<std::uint32_t>(nodes_[id].next);
        if (following != kNone) {
          prefetch(following);
          ahead(following);
        }
        nodes_[id].slot = kNoSlot;
        --counts_[0];
        if (nodes_[id].at <= now) {
          expire(id);
        } else {
          link(id);
        }
        id = following;
      }
      if (!past) return;
    }
  }

  Divider tick_;
  std::uint64_t current_ = 0;
  std::array<std::size_t, kLevels> counts_{};  ///< number of entries on each level
  std::pmr::vector<Node> nodes_;
  /// First entry of each slot, or kNone. The vector is empty if the wheel has a single entry.
  std::pmr::vector<std::uint32_t> heads_;
  std::array<std::uint64_t, kLevels * kSlots / 64> occupied_{};
};

}  // namespace softfeb::engine
