// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstdint>
#include <vector>

/// Live state that registers expose, and the actions that register writes request.
namespace softfeb::board {

/// The board's Ethernet port. Counters start at 0 when the program starts.
struct PortState {
  bool link_up = true;
  std::uint64_t link_ups = 1;  ///< number of link-up transitions
  std::uint64_t rx_frames = 0;
  std::uint64_t tx_frames = 0;
  /// Pause frames consumed by the port. DataPathState::rx_pause counts the pause frames that are passed on to
  /// the board.
  std::uint64_t rx_pause = 0;
  std::uint64_t tx_pause = 0;
  std::uint64_t rx_overflow = 0;  ///< frames dropped for lack of a receive buffer
  std::uint64_t rx_crc_errors = 0;
  std::uint64_t tx_underruns = 0;
  std::uint64_t tx_not_ready = 0;
};

/// Parameters of an RSSI link, as in the SYN header. Times are in milliseconds.
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

/// Limits of the board's RSSI links: [0] for the registers (UDP port 8192), [1] for the stream (UDP port
/// 8193). They are also the reset values of the links' registers.
inline constexpr std::array<RssiLimits, 2> kRssiLimits{
    RssiLimits{}, RssiLimits{.max_outstanding = 32, .max_segment = 8192}};

/// Values of register ConnState of the firmware's RSSI server.
enum class RssiConnection : std::uint8_t { kClosed = 0, kListen = 4, kWaitAck = 6, kOpen = 7 };

/// State of one RSSI link.
struct RssiState {
  RssiConnection connection = RssiConnection::kListen;
  RssiLimits negotiated{};
  roce::IpAddress peer_ip{};
  std::uint16_t peer_port = 0;
  bool local_busy = false;
  bool remote_busy = false;
  std::uint8_t tx_last_ack = 0;  ///< register TxLastAckN
  std::uint8_t rx_seq = 0;       ///< register RxSeqN
  std::uint8_t rx_ack = 0;       ///< register RxAckN
  std::uint8_t rx_last_seq = 0;  ///< register RxLastSeqN
  std::uint64_t valid = 0;
  std::uint64_t dropped = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t tx_segments = 0, tx_bytes = 0;  ///< data segments sent, and bytes of their RSSI payload
  std::uint64_t rx_segments = 0, rx_bytes = 0;
};

/// Snapshot of the live state for one access. `data` is needed only if BoardRegisters::needs_live_for_read()
/// or needs_live_for_write() returns true; the other members are always needed.
struct LiveState {
  DataPathState data;
  PortState port;
  std::array<RssiState, 2> rssi;  ///< [0] registers (UDP port 8192), [1] stream (UDP port 8193)
};

/// Action requested by a write to the registers of FwRudpServer[link]. The owner of the RSSI links performs
/// the action.
struct SetRssi {
  std::size_t link = 0;
  /// Values of the loc* registers, which the board offers for the next connection. The RSSI server clamps the
  /// window and the segment size to the board's own limits.
  RssiLimits parameters;
  bool close = false;  ///< rising edge of CloseConn: reset the connection
  /// Rising edge of InjectFault: corrupt the checksum of one segment.
  bool inject_fault = false;
};

/// Actions requested by an access; each list is in the order in which the access requested them.
struct Actions {
  std::vector<DataPathAction> data_path;  ///< actions for the board's worker
  std::vector<SetRssi> links;             ///< actions for the control thread

  bool empty() const { return data_path.empty() && links.empty(); }
  void clear() {
    data_path.clear();
    links.clear();
  }
};

}  // namespace softfeb::board
