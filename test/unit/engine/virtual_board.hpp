// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "engine/board.hpp"
#include "roce/craft.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::test {

/// A frame as it left: its QP, and its size as counted by the two kinds of pacing.
struct Departure {
  Time at = 0;
  std::uint32_t qp = 0;
  std::uint32_t counted = 0;  ///< BTH through pad
  std::uint32_t payload = 0;
};

/// A board of UC queue pairs without a network, in virtual time. Messages have one packet of 4096 bytes.
class VirtualBoard {
 public:
  static constexpr std::uint32_t kPayload = 4096;
  static constexpr std::uint32_t kCounted = roce::Bth::kSize + roce::Reth::kSize + kPayload;

  /// `shape(qp, i)` modifies the configuration of QP i; `c` has the settings of the board.
  template <typename Shape>
  VirtualBoard(std::uint32_t qps, Shape&& shape, engine::BoardConfig c = {})
      : payload_(board::make_payload(
            {.kind = board::PayloadKind::kZero, .message_length = kPayload, .pmtu = kPayload})),
        arena_(payload_->arena_bytes()) {
    payload_->fill(arena_);
    c.identity.mac = {2, 0, 0, 0, 0, 1};
    c.identity.ip = *roce::IpAddress::parse("10.0.0.1");
    peer_ = *roce::IpAddress::parse("10.0.0.2");
    for (std::uint32_t i = 0; i < qps; ++i) {
      engine::SendQpConfig qp;
      qp.requester.transport = roce::Transport::kUc;
      qp.requester.qpn = 0x100 + i;
      qp.requester.dest_qpn = 0x100 + i;
      qp.requester.pmtu = kPayload;
      qp.requester.send_queue_depth = 4;
      qp.path.source_mac = c.identity.mac;
      qp.path.source_ip = c.identity.ip;
      qp.path.dest_ip = peer_;
      qp.peer_mac = roce::MacAddress{2, 0, 0, 0, 0, 2};
      qp.payload = payload_.get();
      qp.traffic.plan = payload_->plan();
      shape(qp, i);
      c.qps.push_back(qp);
    }
    board_ = std::make_unique<engine::Board>(c);
    for (std::size_t i = 0; i < frames_.size(); ++i) frames_[i].header = rooms_[i].data();
  }

  engine::Board& board() { return *board_; }
  Time now() const { return now_; }
  void start() { board_->start(now_); }
  void receive(ByteSpan frame) { board_->receive(roce::parse_frame(frame), now_); }

  /// Runs until `end`; calls `left(Departure)` for every frame.
  template <typename Left>
  void run_until(Time end, Left&& left) {
    for (;;) {
      poll(left);
      const Time next = board_->next_event(now_);
      if (next > end) break;
      now_ = std::max(now_, next);
    }
    now_ = end;
    poll(left);
  }

  /// A CNP for QP i arrives now.
  void cnp(std::uint32_t i) {
    roce::Path back;
    back.source_mac = {2, 0, 0, 0, 0, 2};
    back.dest_mac = {2, 0, 0, 0, 0, 1};
    back.source_ip = peer_;
    back.dest_ip = board_->identity().ip;
    std::array<std::uint8_t, engine::TxFrame::kHeaderRoom> bytes{};
    std::array<std::uint8_t, 8> trailer{};
    const roce::Crafted c = roce::craft_cnp(roce::HeaderTemplate(back), 0x100 + i, roce::kDefaultPkey, 0,
                                            bytes.data(), trailer.data());
    std::copy_n(trailer.begin(), c.trailer_length, bytes.begin() + c.header_length);
    const ByteSpan frame(bytes.data(), std::size_t{c.header_length} + c.trailer_length);
    board_->receive(roce::parse_frame(frame), now_);
  }

 private:
  template <typename Left>
  void poll(Left&& left) {
    for (;;) {
      const std::size_t n = board_->poll(now_, frames_);
      for (std::size_t k = 0; k < n; ++k) {
        // BTH after Ethernet, IPv4 and UDP; its destination QPN is in the last three of bytes 4…7.
        const std::uint8_t* const bth = frames_[k].header + 14 + 20 + 8;
        const std::uint32_t qpn = (std::uint32_t{bth[5]} << 16) | (std::uint32_t{bth[6]} << 8) | bth[7];
        left(
            Departure{now_, qpn - 0x100, frames_[k].length() - (14 + 20 + 8) - 4, frames_[k].payload_length});
      }
      if (n < frames_.size()) return;
    }
  }

  std::unique_ptr<board::PayloadSource> payload_;
  std::vector<std::uint8_t> arena_;
  std::unique_ptr<engine::Board> board_;
  roce::IpAddress peer_;
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, 32> rooms_{};
  std::array<engine::TxFrame, 32> frames_{};
  Time now_ = 0;
};

}  // namespace softfeb::test
