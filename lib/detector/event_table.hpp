// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::detector {

/// Records which pieces have arrived from which boards, for a fixed number of events. For each board, an
/// event occupies 8 bytes and a bitmap. Events are found by number. Only the constructor allocates.
class EventTable {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  struct Event {
    std::uint64_t number = 0;
    Time first = 0;  ///< time of the first fragment
    bool open = true;
    std::uint32_t whole = 0;  ///< number of boards whose pieces have all arrived
    // Links of the EventList that contains this event.
    Index older = kNone;
    Index newer = kNone;
    Index next = kNone;  ///< next event in the same hash bucket, or in the free list
  };
  struct Board {
    std::uint32_t total = 0;    ///< total length that the board's first fragment announced
    std::uint32_t arrived = 0;  ///< number of pieces that have arrived; 0 if `total` is not known yet
  };

  /// All three numbers must be at least 1. `pieces` is the largest number of pieces of one board in one
  /// event.
  EventTable(std::size_t events, std::uint32_t boards, std::uint32_t pieces,
             std::pmr::memory_resource* memory);

  std::uint32_t boards() const { return boards_; }
  /// Returns the event with this number, or kNone.
  Index find(std::uint64_t number) const;
  /// Adds an event without pieces. The table must not be full and must not contain the number.
  Index insert(std::uint64_t number, Time first);
  void erase(Index i);

  Event& event(Index i) { return events_[i]; }
  const Event& event(Index i) const { return events_[i]; }
  Board& board(Index i, std::uint32_t board) { return board_states_[std::size_t{i} * boards_ + board]; }
  const Board& board(Index i, std::uint32_t board) const {
    return board_states_[std::size_t{i} * boards_ + board];
  }
  /// True if this piece has arrived. `piece` must be below the `pieces` passed to the constructor.
  bool has(Index i, std::uint32_t board, std::uint32_t piece) const {
    return (word(i, board, piece) >> piece % 64 & 1) != 0;
  }
  void set(Index i, std::uint32_t board, std::uint32_t piece) {
    bits_[word_index(i, board, piece)] |= std::uint64_t{1} << piece % 64;
  }
  /// Returns the first piece in [piece, end) that has arrived (if `present` is true) or is missing (if
  /// `present` is false). Returns `end` if there is none.
  std::uint32_t find_piece(Index i, std::uint32_t board, std::uint32_t piece, std::uint32_t end,
                           bool present) const;

 private:
  std::size_t word_index(Index i, std::uint32_t board, std::uint32_t piece) const {
    return (std::size_t{i} * boards_ + board) * words_ + piece / 64;
  }
  std::uint64_t word(Index i, std::uint32_t board, std::uint32_t piece) const {
    return bits_[word_index(i, board, piece)];
  }
  Index& bucket(std::uint64_t number);

  std::uint32_t boards_;
  std::uint32_t words_;  ///< words in the bitmap of one board
  unsigned shift_;       ///< turns a hash into the index of its bucket
  Index free_ = 0;
  std::pmr::vector<Event> events_;
  std::pmr::vector<Board> board_states_;
  std::pmr::vector<std::uint64_t> bits_;
  std::pmr::vector<Index> buckets_;
};

/// A list of events in the order in which they were appended. An event of a table is in at most one list.
class EventList {
 public:
  using Index = EventTable::Index;

  Index oldest() const { return oldest_; }
  std::size_t size() const { return size_; }
  void append(EventTable& table, Index i);
  void remove(EventTable& table, Index i);

 private:
  Index oldest_ = EventTable::kNone;
  Index newest_ = EventTable::kNone;
  std::size_t size_ = 0;
};

}  // namespace softfeb::detector
