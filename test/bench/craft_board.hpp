// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "craft.hpp"
#include "engine/board.hpp"

#include <memory>
#include <memory_resource>

namespace softfeb::bench {

std::pmr::memory_resource* huge_pages();

/// Not filled.
std::unique_ptr<board::PayloadSource> craft_payload(const CraftOptions& options);

/// `payload` outlives the board. Board number `board` of those that share a port. `memory` is where its queue
/// pairs lie: as `softfeb run` has them, or null for the heap.
std::unique_ptr<engine::Board> craft_board(const CraftOptions& options, const board::PayloadSource& payload,
                                           unsigned board, std::pmr::memory_resource* memory = huge_pages());

/// Sums over the queue pairs of a board.
struct BoardTotals {
  std::uint64_t packets = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t acks = 0;
  std::uint64_t messages = 0;  ///< completed
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;  ///< frames that arrived and were not for a queue pair, or not right

  BoardTotals& operator+=(const BoardTotals& other);
};
BoardTotals totals_of(const engine::Board& board);

}  // namespace softfeb::bench
