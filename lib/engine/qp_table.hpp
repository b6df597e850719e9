// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/psn.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// QPN → index of the queue pair: open addressing, one or two cache lines at a look-up.
class QpTable {
 public:
  static constexpr std::uint32_t kNotFound = UINT32_MAX;

  /// Room for so many, so that insert() allocates nothing.
  void reserve(std::size_t qps) {
    while (slots_.size() < qps * 2) grow();
  }

  /// False when the QPN is there already.
  bool insert(roce::Qpn qpn, std::uint32_t index) {
    if (find(qpn) != kNotFound) return false;
    if ((used_ + 1) * 2 > slots_.size()) grow();
    place(qpn, index);
    ++used_;
    return true;
  }

  std::uint32_t find(roce::Qpn qpn) const {
    if (slots_.empty()) return kNotFound;
    for (std::size_t i = home(qpn);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].index == kNotFound) return kNotFound;
      if (slots_[i].qpn == qpn) return slots_[i].index;
    }
  }

  /// Takes a QPN out; one that is not there changes nothing.
  void erase(roce::Qpn qpn) {
    if (find(qpn) == kNotFound) return;
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = home(qpn);
    while (slots_[hole].qpn != qpn) hole = (hole + 1) & mask;
    // Whoever stands behind the hole because his place was taken moves up, so that find() need not go on
    // past it.
    for (std::size_t i = (hole + 1) & mask; slots_[i].index != kNotFound; i = (i + 1) & mask) {
      if (((i - home(slots_[i].qpn)) & mask) < ((i - hole) & mask)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
    --used_;
  }

  /// Bytes that its places take.
  std::size_t memory() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    roce::Qpn qpn = 0;
    std::uint32_t index = kNotFound;
  };

  std::size_t home(roce::Qpn qpn) const {
    return static_cast<std::size_t>((qpn * 0x9e3779b97f4a7c15ULL) >> 40) & (slots_.size() - 1);
  }
  void place(roce::Qpn qpn, std::uint32_t index) {
    std::size_t i = home(qpn);
    while (slots_[i].index != kNotFound) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {qpn, index};
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.index != kNotFound) place(s.qpn, s.index);
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace softfeb::engine
