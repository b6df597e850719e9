// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::detector {

/// Which pieces of which boards have arrived, for a fixed number of events: 8 bytes and a bitmap for each
/// board. Finds events by number. Only the constructor allocates.
class EventTable {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  struct Event {
    std::uint64_t number = 0;
    Time first = 0;  ///< time of the first fragment
    bool open = true;
    std::uint32_t whole = 0;  ///< boards of which all pieces have arrived
    // Links of the lists below
    Index older = kNone;
    Index newer = kNone;
    Index next = kNone;  ///< in the chain of a hash bucket or in the free list
  };
  struct Board {
    std::uint32_t total = 0;    ///< bytes announced by the first piece
    std::uint32_t arrived = 0;  ///< pieces; 0: the board has announced nothing
  };

  /// `events`, `boards` and `pieces` (of a board in an event) must be at least 1.
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
  /// `piece` must be below the `pieces` of the constructor.
  bool has(Index i, std::uint32_t board, std::uint32_t piece) const {
    return (word(i, board, piece) >> piece % 64 & 1) != 0;
  }
  void set(Index i, std::uint32_t board, std::uint32_t piece) {
    bits_[word_index(i, board, piece)] |= std::uint64_t{1} << piece % 64;
  }
  /// Returns the first piece from `piece` on, below `end`, that is missing or, if `present`, present; `end`
  /// if there is none.
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
  std::uint32_t words_;  ///< of a board's bitmap
  unsigned shift_;       ///< of a hash, to the number of its bucket
  Index free_ = 0;
  std::pmr::vector<Event> events_;
  std::pmr::vector<Board> board_states_;
  std::pmr::vector<std::uint64_t> bits_;
  std::pmr::vector<Index> buckets_;
};

/// A list of events of a table, in the order in which they were appended. An event is in at most one list.
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
