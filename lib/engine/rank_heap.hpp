// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Heap of queue pairs, lowest rank first. Each node has up to four children, which share a cache line. All
/// operations take O(log n) steps, and only the constructor allocates.
class RankHeap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Makes an empty heap for queue pairs 0…qps − 1.
  RankHeap(std::size_t qps, std::pmr::memory_resource* memory)
      : families_(qps == 0 ? 0 : (qps + 6) / 4, memory), places_(qps, kNone, memory) {}

  /// Memory in bytes.
  std::size_t memory() const {
    return families_.size() * sizeof families_[0] + places_.size() * sizeof places_[0];
  }
  std::uint32_t size() const { return size_; }
  bool contains(std::uint32_t qp) const { return places_[qp] != kNone; }
  /// Requires contains(qp).
  std::uint64_t rank(std::uint32_t qp) const { return at(places_[qp]).rank; }

  /// Returns the queue pair with the lowest rank. Requires size() > 0.
  std::uint32_t top() const { return at(0).qp; }
  /// Returns the queue pair with the second lowest rank. Requires size() > 1.
  std::uint32_t second() const { return at(lowest_child(0)).qp; }

  /// Adds `qp`, or changes its rank.
  void push(std::uint32_t qp, std::uint64_t rank) {
    settle(contains(qp) ? places_[qp] : size_++, {rank, qp});
  }
  /// Requires contains(qp).
  void erase(std::uint32_t qp) {
    const std::uint32_t place = places_[qp];
    places_[qp] = kNone;
    if (place != --size_) settle(place, at(size_));
  }

 private:
  struct Entry {
    std::uint64_t rank = 0;
    std::uint32_t qp = 0;
  };
  // Entries that share a cache line. A place is the index of an entry in the heap: the root is at place 0,
  // and the children of place p are at places 4p + 1 to 4p + 4. Family p + 1 contains the children of place
  // p. The root is the last entry of family 0, whose other entries are unused.
  struct alignas(64) Family {
    std::array<Entry, 4> entries;
  };

  const Entry& at(std::uint32_t place) const { return families_[(place + 3) / 4].entries[(place + 3) % 4]; }
  void put(std::uint32_t place, const Entry& entry) {
    families_[(place + 3) / 4].entries[(place + 3) % 4] = entry;
    places_[entry.qp] = place;
  }
  /// Requires that `place` has children.
  std::uint32_t lowest_child(std::uint32_t place) const {
    const std::uint32_t first = 4 * place + 1;
    std::uint32_t lowest = first;
    for (std::uint32_t child = first + 1; child < std::min(first + 4, size_); ++child) {
      if (at(child).rank < at(lowest).rank) lowest = child;
    }
    return lowest;
  }
  /// Inserts `entry` into the heap, in which `place` is free. Moves other entries into the free place until
  /// `entry` fits there.
  void settle(std::uint32_t place, const Entry entry) {
    for (; place != 0 && entry.rank < at((place - 1) / 4).rank; place = (place - 1) / 4)
      put(place, at((place - 1) / 4));
    while (4 * place + 1 < size_) {
      const std::uint32_t child = lowest_child(place);
      if (entry.rank <= at(child).rank) break;
      put(place, at(child));
      place = child;
    }
    put(place, entry);
  }

  std::pmr::vector<Family> families_;
  std::pmr::vector<std::uint32_t> places_;  ///< place of each queue pair; kNone if it is not in the heap
  std::uint32_t size_ = 0;
};

}  // namespace softfeb::engine
