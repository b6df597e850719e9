// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/prefetch.hpp"
#include "roce/psn.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Maps a QPN to the index of its queue pair. Open addressing; a lookup usually touches one or two cache
/// lines.
class QpTable {
 public:
  static constexpr std::uint32_t kNotFound = UINT32_MAX;

  explicit QpTable(std::pmr::memory_resource* memory = std::pmr::new_delete_resource()) : slots_(memory) {}

  /// Makes room for `qps` entries, so that insert() does not allocate memory.
  void reserve(std::size_t qps) {
    if (!fits(qps)) resize(qps + qps / 4 + 1);
  }

  /// Returns false if the QPN already exists.
  bool insert(roce::Qpn qpn, std::uint32_t index) {
    if (find(qpn) != kNotFound) return false;
    if (!fits(used_ + 1)) resize(slots_.empty() ? 16 : slots_.size() * 2);
    place(qpn, index);
    ++used_;
    return true;
  }

  std::uint32_t find(roce::Qpn qpn) const {
    if (slots_.empty()) return kNotFound;
    for (std::size_t i = home(qpn);; i = behind(i)) {
      if (slots_[i].index == kNotFound) return kNotFound;
      if (slots_[i].qpn == qpn) return slots_[i].index;
    }
  }

  /// Prefetches the first entry that find() would examine.
  void prefetch(roce::Qpn qpn) const {
    if (!slots_.empty()) softfeb::prefetch(&slots_[home(qpn)]);
  }

  /// Removes a QPN, if present.
  void erase(roce::Qpn qpn) {
    if (find(qpn) == kNotFound) return;
    std::size_t hole = home(qpn);
    while (slots_[hole].qpn != qpn) hole = behind(hole);
    // Move up displaced entries, so that find() does not stop at the hole.
    for (std::size_t i = behind(hole); slots_[i].index != kNotFound; i = behind(i)) {
      if (distance(home(slots_[i].qpn), i) < distance(hole, i)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
    --used_;
  }

  /// Memory in bytes.
  std::size_t memory() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    roce::Qpn qpn = 0;
    std::uint32_t index = kNotFound;
  };

  /// The load factor is at most 4/5; a lookup then examines three adjacent entries on average.
  bool fits(std::size_t qps) const { return qps * 5 <= slots_.size() * 4; }
  std::size_t home(roce::Qpn qpn) const {
    return static_cast<std::size_t>(((qpn * 0x9e3779b97f4a7c15ULL) >> 32) * slots_.size() >> 32);
  }
  std::size_t behind(std::size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }
  std::size_t distance(std::size_t from, std::size_t to) const {
    return to >= from ? to - from : to + slots_.size() - from;
  }
  void place(roce::Qpn qpn, std::uint32_t index) {
    std::size_t i = home(qpn);
    while (slots_[i].index != kNotFound) i = behind(i);
    slots_[i] = {qpn, index};
  }
  void resize(std::size_t places) {
    std::pmr::vector<Slot> old(places, slots_.get_allocator());
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.index != kNotFound) place(s.qpn, s.index);
    }
  }

  std::pmr::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace softfeb::engine
