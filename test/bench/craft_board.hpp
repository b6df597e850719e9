// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "craft.hpp"
#include "engine/board.hpp"

#include <memory>
#include <memory_resource>

namespace softfeb::bench {

std::pmr::memory_resource* huge_pages();

/// Creates the payload, not yet filled.
std::unique_ptr<board::PayloadSource> craft_payload(const CraftOptions& options);

/// `payload` must outlive the board. `board`: number among the boards of a port. `memory`: allocator of its
/// queue pairs, as in `softfeb run`; null: the heap.
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
  std::uint64_t refused = 0;  ///< received frames that were invalid or for no queue pair

  BoardTotals& operator+=(const BoardTotals& other);
};
BoardTotals totals_of(const engine::Board& board);

}  // namespace softfeb::bench
