// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstdint>
#include <vector>

/// What registers show that the registers themselves do not know, and what writes to them ask of others.
namespace softfeb::board {

/// The board's Ethernet port, counted since the program began.
struct PortState {
  bool link_up = true;
  std::uint64_t link_ups = 1;  ///< how often the link came up
  std::uint64_t rx_frames = 0;
  std::uint64_t tx_frames = 0;
  std::uint64_t rx_pause =
      0;  ///< of the port, which keeps them to itself; those that came through: DataPathState
  std::uint64_t tx_pause = 0;
  std::uint64_t rx_overflow = 0;  ///< received and lost for want of buffers
  std::uint64_t rx_crc_errors = 0;
  std::uint64_t tx_underruns = 0;
  std::uint64_t tx_not_ready = 0;
};

/// Parameters of an RSSI link, as its SYN header carries them; times in milliseconds.
struct RssiLimits {
  std::uint8_t max_outstanding = 16;
  std::uint16_t max_segment = 1024;
  std::uint16_t retransmit_ms = 50;
  std::uint16_t cumulative_ack_ms = 25;
  std::uint16_t null_ms = 200;
  std::uint8_t max_retransmissions = 16;
  std::uint8_t max_cumulative_acks = 3;

  bool operator==(const RssiLimits&) const = default;
};

/// What the board's links can do, and their registers after reset: registers (UDP 8192), stream (8193).
inline constexpr std::array<RssiLimits, 2> kRssiLimits{
    RssiLimits{}, RssiLimits{.max_outstanding = 32, .max_segment = 8192}};

/// ConnState of the firmware's server.
enum class RssiConnection : std::uint8_t { kClosed = 0, kListen = 4, kWaitAck = 6, kOpen = 7 };

/// An RSSI link of the board.
struct RssiState {
  RssiConnection connection = RssiConnection::kListen;
  RssiLimits negotiated{};
  roce::IpAddress peer_ip{};
  std::uint16_t peer_port = 0;
  bool local_busy = false;
  bool remote_busy = false;
  std::uint8_t tx_last_ack = 0;  ///< TxLastAckN
  std::uint8_t rx_seq = 0;       ///< RxSeqN
  std::uint8_t rx_ack = 0;       ///< RxAckN
  std::uint8_t rx_last_seq = 0;  ///< RxLastSeqN
  std::uint64_t valid = 0;
  std::uint64_t dropped = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t tx_segments = 0, tx_bytes = 0;  ///< with data
  std::uint64_t rx_segments = 0, rx_bytes = 0;
};

/// All of one moment. `data` need be filled only where BoardRegisters says so; the rest always.
struct LiveState {
  DataPathState data;
  PortState port;
  std::array<RssiState, 2> rssi;  ///< registers (UDP 8192), stream (8193)
};

/// Registers of FwRudpServer[link] were written. Carried out by whoever runs the links.
struct SetRssi {
  std::size_t link = 0;
  RssiLimits parameters;      ///< loc*: what the next connection may agree to, inside the board's own limits
  bool close = false;         ///< CloseConn rose: reset the connection
  bool inject_fault = false;  ///< InjectFault rose: spoil the checksum of one segment
};

/// What an access asks of others, each list in order.
struct Actions {
  std::vector<DataPathAction> data_path;  ///< to the board's worker
  std::vector<SetRssi> links;             ///< for the control thread itself

  bool empty() const { return data_path.empty() && links.empty(); }
  void clear() {
    data_path.clear();
    links.clear();
  }
};

}  // namespace softfeb::board
