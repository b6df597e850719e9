// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks.hpp"
#include "board/payload.hpp"
#include "board_builder.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "roce/congestion_header.hpp"

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

/// The endpoints of the benchmarks: their addresses, boards, payloads and receivers.

namespace softfeb::bench {

inline constexpr roce::Qpn kFirstQpn = test::kSendQpn;  ///< QP i has kFirstQpn + i at both ends
inline constexpr std::uint32_t kRkey = 0x1234;
inline constexpr std::size_t kBthOffset = 14 + 20 + 8;
/// Size of a congestion control header with INT records, which lies in front of the BTH.
inline constexpr std::size_t kIntHeader = roce::CongestionHeader::kCommonSize + roce::IntBody::kSize;

inline engine::Identity board_identity(unsigned board = 0) { return test::identity(board + 1); }
inline engine::Identity peer() { return test::identity(200); }

inline roce::Path path_to_peer(unsigned board = 0) { return test::path(board_identity(board), peer()); }
inline roce::Path path_to_board(unsigned board = 0) { return test::path(peer(), board_identity(board)); }

std::pmr::memory_resource* huge_pages();

/// Creates the payload source without filling it.
std::unique_ptr<board::PayloadSource> craft_payload(const CraftOptions& options);

/// Creates a board. `payload` must outlive the board. `board` is the board's number on its port. `memory`
/// provides the memory for the board's queue pairs, as in `softfeb run`; null means the heap. `stamps`
/// records the times of messages.
std::unique_ptr<engine::Board> craft_board(const CraftOptions& options, const board::PayloadSource& payload,
                                           unsigned board, std::pmr::memory_resource* memory = huge_pages(),
                                           latency::Stamps* stamps = nullptr);

/// Sums over the queue pairs of a board.
struct BoardTotals {
  std::uint64_t packets = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t acks = 0;
  std::uint64_t messages = 0;  ///< messages that completed
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;  ///< received frames that were invalid or for no queue pair

  BoardTotals& operator+=(const BoardTotals& other);
};
BoardTotals totals_of(const engine::Board& board);
Json to_json(const BoardTotals& totals);

/// A receiver for the queue pairs of craft_board(), with memory for one message each. It verifies each iCRC,
/// compares each payload byte with its own copy of the pattern, and copies the payload to its destination.
class CheckingReceiver {
 public:
  explicit CheckingReceiver(const CraftOptions& options);

  engine::Receiver& receiver() { return *receiver_; }

  /// Sums over the receiver's queue pairs.
  struct Totals {
    std::uint64_t packets = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t messages = 0;
    std::uint64_t out_of_order = 0;
    std::uint64_t duplicate = 0;
    std::uint64_t bytes_checked = 0;
    std::uint64_t bytes_wrong = 0;
    std::uint64_t icrc_errors = 0;
    std::uint64_t refused = 0;  ///< frames with an unknown queue pair, an access error, or an invalid request
  };
  Totals totals() const;

 private:
  std::unique_ptr<board::PayloadSource> expected_;
  std::vector<std::uint8_t> expected_bytes_;
  std::pmr::vector<std::uint8_t> memory_;  ///< in huge pages, as in a real receiver
  std::unique_ptr<engine::Receiver> receiver_;
};

Json to_json(const CheckingReceiver::Totals& totals);

}  // namespace softfeb::bench
