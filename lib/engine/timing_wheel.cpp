// SPDX-License-Identifier: BSD-3-Clause
#include "engine/timing_wheel.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace softfeb::engine {

TimingWheel::TimingWheel(std::size_t entries, Time tick, std::pmr::memory_resource* memory)
    : tick_(tick),
      nodes_(entries < kNone ? entries : throw std::length_error("timing wheel"), memory),
      heads_(single() ? 0 : kLevels * kSlots, kNone, memory) {}

void TimingWheel::link_to_slot(std::uint32_t id) {
  Node& n = nodes_[id];
  const std::uint64_t tick = std::max(tick_.quotient(n.at), current_);
  unsigned level = 0;
  while (level < kLevels - 1 && (tick >> (kBits * level)) - (current_ >> (kBits * level)) >= kSlots) ++level;
  std::uint64_t position = tick >> (kBits * level);
  // A time beyond the range of the last level is stored in the last slot of that level. The entry is moved to
  // its proper place when that slot is reached.
  position = std::min(position, (current_ >> (kBits * level)) + kSlots - 1);
  const std::uint32_t slot = level * kSlots + static_cast<std::uint32_t>(position & (kSlots - 1));
  const std::uint32_t next = heads_[slot];
  n.slot = slot;
  n.previous = kNone;
  n.next = next;
  if (next != kNone) nodes_[next].previous = id;
  heads_[slot] = id;
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  ++counts_[level];
}

void TimingWheel::unlink_from_slot(std::uint32_t id) {
  Node& n = nodes_[id];
  const auto next = static_cast<std::uint32_t>(n.next), slot = static_cast<std::uint32_t>(n.slot);
  if (next != kNone) nodes_[next].previous = n.previous;
  if (n.previous != kNone) {
    nodes_[n.previous].next = next;
  } else {
    heads_[slot] = next;
    if (next == kNone) occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }
  --counts_[slot / kSlots];
  n.slot = kNoSlot;
}

std::uint32_t TimingWheel::detach(std::uint32_t slot) {
  const std::uint32_t first = heads_[slot];
  heads_[slot] = kNone;
  occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  return first;
}

void TimingWheel::cascade(unsigned level) {
  const auto index = static_cast<std::uint32_t>((current_ >> (kBits * level)) & (kSlots - 1));
  std::uint32_t id = detach(level * kSlots + index);
  while (id != kNone) {
    const auto following = static_cast<std::uint32_t>(nodes_[id].next);
    --counts_[level];
    link(id);
    id = following;
  }
}

std::uint64_t TimingWheel::next_of(unsigned level) const {
  if (counts_[level] == 0) return UINT64_MAX;
  const std::uint64_t here = current_ >> (kBits * level);
  const auto start = static_cast<std::uint32_t>(here & (kSlots - 1));
  const std::uint64_t* words = &occupied_[level * kSlots / 64];
  // Search distances 1…255 around the circle, one word of the bitmap at a time.
  for (std::uint32_t distance = 1; distance < kSlots;) {
    const std::uint32_t index = (start + distance) & (kSlots - 1);
    const std::uint64_t bits = words[index / 64] >> (index % 64);
    const std::uint32_t span = std::min(64 - index % 64, kSlots - distance);
    const std::uint64_t seen = span == 64 ? bits : bits & ((std::uint64_t{1} << span) - 1);
    if (seen != 0)
      return (here + distance + static_cast<std::uint32_t>(std::countr_zero(seen))) << (kBits * level);
    distance += span;
  }
  return UINT64_MAX;
}

std::uint64_t TimingWheel::next_coarse() const {
  std::uint64_t best = UINT64_MAX;
  for (unsigned level = 1; level < kLevels; ++level) best = std::min(best, next_of(level));
  return best;
}

void TimingWheel::step(std::uint64_t target) {
  const std::uint64_t tick = std::min(next_fine(), next_coarse());
  if (tick > target) {
    current_ = target;
    return;
  }
  current_ = tick;
  for (unsigned level = kLevels - 1; level > 0; --level) {
    if ((current_ & ((std::uint64_t{1} << (kBits * level)) - 1)) == 0) cascade(level);
  }
}

Time TimingWheel::first_in(std::uint32_t slot) const {
  Time first = kNever;
  for (std::uint32_t id = heads_[slot]; id != kNone; id = static_cast<std::uint32_t>(nodes_[id].next))
    first = std::min(first, nodes_[id].at);
  return first;
}

Time TimingWheel::next_in_slots() const {
  const auto slot = static_cast<std::uint32_t>(current_ & (kSlots - 1));
  if (heads_[slot] != kNone) return first_in(slot);
  const std::uint64_t fine = next_fine();
  const std::uint64_t coarse = next_coarse();
  if (fine < coarse) return first_in(static_cast<std::uint32_t>(fine & (kSlots - 1)));
  return coarse == UINT64_MAX ? kNever : coarse * tick_.divisor();
}

}  // namespace softfeb::engine
