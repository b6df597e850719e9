// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ack_writer.hpp"
#include "craft_board.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::bench {

/// A board whose frames are made and thrown away, without mbufs and port: what the engine alone costs.
class EngineLoop {
 public:
  /// `payload` outlives it. `memory`: of craft_board().
  EngineLoop(const CraftOptions& options, const board::PayloadSource& payload,
             std::pmr::memory_resource* memory = huge_pages());

  /// Traffic begins.
  void start(Time now) { board_->start(now); }
  /// One turn: acknowledgements of the turn before, then a burst. Returns how many frames.
  std::size_t turn(Time now);
  BoardTotals totals() const { return totals_of(*board_); }
  const engine::Board& board() const { return *board_; }

 private:
  static constexpr std::size_t kBurst = 32;
  struct Owed {
    roce::Qpn qpn;
    roce::Psn psn;
  };

  void acknowledge(Time now);
  void note(const std::uint8_t* frame);

  std::unique_ptr<engine::Board> board_;
  AckWriter acks_;
  std::array<std::uint8_t, AckWriter::kSize> ack_;
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, kBurst> rooms_{};
  std::array<engine::TxFrame, kBurst> frames_{};
  std::array<Owed, kBurst + 1> owed_{};
  std::size_t owed_count_ = 0;
};

/// Memory of a queue pair at work, in bytes.
struct QpMemory {
  double allocated = 0;     ///< what the allocator has given out more of
  std::size_t counted = 0;  ///< Board::memory_per_qp()
};

/// In a board of at least 10,000 that has sent for a while: what a board has once would weigh on a few.
QpMemory memory_of_qp(CraftOptions options, const board::PayloadSource& payload);

}  // namespace softfeb::bench
