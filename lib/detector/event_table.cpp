// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_table.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::detector {

namespace {

constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;

}  // namespace

EventTable::EventTable(std::size_t events, std::uint32_t boards, std::uint32_t pieces,
                       std::pmr::memory_resource* memory)
    : boards_(boards),
      words_((pieces + 63) / 64),
      shift_(63U - static_cast<unsigned>(std::bit_width(events))),
      events_(events, memory),
      board_states_(events * boards, memory),
      bits_(events * boards * words_, memory),
      buckets_(std::size_t{1} << (64 - shift_), kNone, memory) {
  for (Index i = 0; i + 1 < events; ++i) events_[i].next = i + 1;
}

EventTable::Index& EventTable::bucket(std::uint64_t number) { return buckets_[number * kSpread >> shift_]; }

EventTable::Index EventTable::find(std::uint64_t number) const {
  Index i = buckets_[number * kSpread >> shift_];
  while (i != kNone && events_[i].number != number) i = events_[i].next;
  return i;
}

EventTable::Index EventTable::insert(std::uint64_t number, Time first) {
  const Index i = free_;
  free_ = events_[i].next;
  Index& chain = bucket(number);
  events_[i] = {.number = number, .first = first, .next = chain};
  chain = i;
  std::fill_n(board_states_.begin() + static_cast<std::ptrdiff_t>(std::size_t{i} * boards_), boards_,
              Board{});
  const std::size_t words = std::size_t{boards_} * words_;
  std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(i * words), words, 0);
  return i;
}

void EventTable::erase(Index i) {
  Index* at = &bucket(events_[i].number);
  while (*at != i) at = &events_[*at].next;
  *at = events_[i].next;
  events_[i].next = free_;
  free_ = i;
}

std::uint32_t EventTable::find_piece(Index i, std::uint32_t board, std::uint32_t piece, std::uint32_t end,
                                     bool present) const {
  while (piece < end) {
    const std::uint64_t wanted = present ? word(i, board, piece) : ~word(i, board, piece);
    const std::uint64_t rest = wanted >> piece % 64;
    if (rest != 0) return std::min(end, piece + static_cast<std::uint32_t>(std::countr_zero(rest)));
    piece = (piece / 64 + 1) * 64;
  }
  return end;
}

void EventList::append(EventTable& table, Index i) {
  table.event(i).older = newest_;
  table.event(i).newer = EventTable::kNone;
  (newest_ == EventTable::kNone ? oldest_ : table.event(newest_).newer) = i;
  newest_ = i;
  ++size_;
}

void EventList::remove(EventTable& table, Index i) {
  const Index older = table.event(i).older, newer = table.event(i).newer;
  (older == EventTable::kNone ? oldest_ : table.event(older).newer) = newer;
  (newer == EventTable::kNone ? newest_ : table.event(newer).older) = older;
  --size_;
}

}  // namespace softfeb::detector
