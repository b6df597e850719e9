// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::board {

/// Allocates the lowest free slot, as the board does for PDs, MRs and QPs. A freed slot keeps its value,
/// which the metadata bus returns if the slot is freed again.
template <typename T>
class SlotTable {
 public:
  /// Creates `size` free slots, each with the value `initial`.
  SlotTable(std::size_t size, const T& initial) : slots_(size, Slot{false, initial}) {}

  std::optional<std::size_t> insert(const T& value) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].taken) continue;
      slots_[i] = {true, value};
      return i;
    }
    return std::nullopt;
  }

  /// Returns false if the slot was already free.
  bool remove(std::size_t index) {
    const bool was = slots_[index].taken;
    slots_[index].taken = false;
    return was;
  }

  void remove_all() {
    for (Slot& s : slots_) s.taken = false;
  }

  bool taken(std::size_t index) const { return slots_[index].taken; }
  /// Value of the slot, whether taken or free.
  const T& value(std::size_t index) const { return slots_[index].value; }
  std::size_t size() const { return slots_.size(); }

 private:
  struct Slot {
    bool taken;
    T value;
  };
  std::vector<Slot> slots_;
};

}  // namespace softfeb::board
