// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ack_writer.hpp"
#include "craft_board.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::bench {

/// A board whose frames are built and discarded without mbufs and port: the cost of the engine alone.
class EngineLoop {
 public:
  /// `payload` must outlive this object. `memory`: see craft_board().
  EngineLoop(const CraftOptions& options, const board::PayloadSource& payload,
             std::pmr::memory_resource* memory = huge_pages());

  /// Starts traffic.
  void start(Time now) { board_->start(now); }
  /// One iteration: the acknowledgements of the previous iteration, then a burst. Returns the number of
  /// frames.
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

/// Memory per active queue pair, in bytes.
struct QpMemory {
  double allocated = 0;     ///< increase reported by the allocator
  std::size_t counted = 0;  ///< Board::memory_per_qp()
};

/// Measured on a board with at least 10,000 queue pairs after some traffic, so that per-board memory is
/// negligible.
QpMemory memory_of_qp(CraftOptions options, const board::PayloadSource& payload);

}  // namespace softfeb::bench
