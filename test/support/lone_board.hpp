// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <cstdint>
#include <memory>

namespace softfeb::test {

/// The departure of a frame from a board. `counted` is the size that congestion control counts, and `payload`
/// is the size that pacing counts.
struct Departure {
  Time at = 0;
  std::uint32_t qp = 0;
  std::uint32_t counted = 0;  ///< bytes from BTH through pad
  std::uint32_t payload = 0;  ///< bytes of payload
};

/// A board with UC queue pairs, alone on a wire. Each message is one packet of 4096 bytes.
class LoneBoard {
 public:
  static constexpr std::uint32_t kPayload = 4096;
  static constexpr std::uint32_t kCounted = roce::Bth::kSize + roce::Reth::kSize + kPayload;

  /// Calls `shape(qp, i)`, which may change the configuration of QP i. `c` is the configuration of the board.
  template <typename Shape>
  LoneBoard(std::uint32_t qps, Shape&& shape, engine::BoardConfig c = {})
      : payload_(FilledPayload::zeros(kPayload, kPayload)), peer_(identity(2)) {
    BoardBuilder builder(identity(1));
    c.identity = builder.config.identity;
    builder.config = std::move(c);
    for (std::uint32_t i = 0; i < qps; ++i) {
      engine::SendQpConfig& qp = builder.qp(peer_, *payload_, kPayload);
      qp.requester.transport = roce::Transport::kUc;
      qp.requester.send_queue_depth = 4;
      shape(qp, i);
    }
    board_ = builder.build();
    wire_.add(*board_);
  }

  engine::Board& board() { return *board_; }
  Time now() const { return wire_.now; }
  void start() { board_->start(wire_.now); }
  void receive(ByteSpan frame) { board_->receive(roce::parse_frame(frame), wire_.now); }
  /// Delivers a CNP for QP `i`.
  void cnp(std::uint32_t i) { receive(test::cnp(path(peer_, board_->identity()), kSendQpn + i)); }

  /// Runs until `end`, and calls left(Departure) for every frame sent.
  template <typename Left>
  void run_until(Time end, Left&& left) {
    wire_.tap = [&](engine::Endpoint&, const engine::TxFrame& f) {
      left(departure(f));
      return false;
    };
    wire_.run_until(end);
  }

 private:
  static constexpr std::size_t kBth = 14 + 20 + 8;  ///< offset of the BTH, after Ethernet, IPv4 and UDP

  Departure departure(const engine::TxFrame& f) const {
    const std::uint32_t qpn = load_be24(f.header + kBth + 5);
    return {wire_.now, qpn - kReceiveQpn, f.length() - static_cast<std::uint32_t>(kBth + roce::kIcrcSize),
            f.payload_length};
  }

  FilledPayload payload_;
  engine::Identity peer_;
  std::unique_ptr<engine::Board> board_;
  Wire wire_;
};

}  // namespace softfeb::test
