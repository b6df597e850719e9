// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "srp/datagram.hpp"

#include <cstddef>
#include <cstdint>

/// Public types of RSSI v1, the reliable stream protocol over UDP that carries the board's slow control.
namespace softfeb::srp {

/// Connection parameters, as carried by a SYN header. Times are in milliseconds.
struct RssiParameters {
  std::uint8_t max_outstanding = 16;  ///< maximum number of sent and unacknowledged segments
  std::uint16_t max_segment = 1024;   ///< maximum size of a datagram in bytes, including the RSSI header
  std::uint16_t retransmit_ms = 20;
  std::uint16_t cumulative_ack_ms = 5;
  std::uint16_t null_ms = 1000;
  std::uint8_t max_retransmissions = 15;
  std::uint8_t max_cumulative_acks = 2;

  bool operator==(const RssiParameters&) const = default;
};

enum class RssiState : std::uint8_t { kListen, kSynSent, kWaitAck, kOpen, kClosed };

/// Returns the firmware's number for a state, as in the firmware's register ConnState.
constexpr std::uint8_t firmware_connection_state(RssiState state) {
  switch (state) {
    case RssiState::kListen:
      return 4;
    case RssiState::kSynSent:
      return 2;  // WAIT_SYN
    case RssiState::kWaitAck:
      return 6;
    case RssiState::kOpen:
      return 7;
    case RssiState::kClosed:
      break;
  }
  return 0;
}

enum class RssiClose : std::uint8_t {
  kByPeer,      ///< RST received
  kByUs,        ///< close() by the user of the link
  kTimeout,     ///< nothing received within the null timeout (client: three null timeouts)
  kRetransmit,  ///< a segment reached the maximum number of transmissions
  kReplaced,    ///< another client connected
  kRestarted,   ///< the same client reconnected
  kProtocol,    ///< only invalid segments received within the time limit of kTimeout
  kRegister,    ///< write to the firmware's register CloseConn
  kShutdown,    ///< the program is exiting
};
inline constexpr std::size_t kRssiCloses = 9;
static_assert(static_cast<std::size_t>(RssiClose::kShutdown) + 1 == kRssiCloses);

/// State and counters of a link.
struct RssiStatus {
  RssiState state = RssiState::kListen;
  RssiParameters negotiated;  ///< parameters of the open connection or, if none is open, of the last
                              ///< connection
  UdpPeer peer;               ///< peer of the open connection or, if none is open, of the last connection
  bool local_busy = false;
  bool remote_busy = false;
  std::uint8_t tx_last_ack = 0;  ///< highest of our sequence numbers that the peer has acknowledged
  std::uint8_t rx_seq = 0;       ///< sequence number of the last segment received
  std::uint8_t rx_ack = 0;       ///< acknowledge number of the last segment received
  std::uint8_t rx_last_seq = 0;  ///< sequence number of the last segment received in order
  std::uint64_t valid = 0;       ///< number of segments accepted
  /// Segments that were malformed, had a wrong checksum, were outside the window, were duplicates, or came
  /// from another peer.
  std::uint64_t dropped = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t reconnects = 0;  ///< number of connections opened, including the first one
  /// Valid SYNs that were not answered, because they exceeded the rate limit, because another handshake was
  /// pending, or because the client of the open connection could not be replaced yet.
  std::uint64_t refused = 0;
  std::uint64_t tx_segments = 0, tx_bytes = 0;  ///< data segments sent, and bytes of their RSSI payload
  std::uint64_t rx_segments = 0, rx_bytes = 0;
};

/// User of a link. The callbacks run inside on_datagram(), on_timer(), resume() and close() of the link, and
/// may call send() and close().
class RssiUser {
 public:
  virtual ~RssiUser() = default;
  virtual void on_open(Time now) = 0;
  virtual void on_close(RssiClose why, Time now) = 0;
  /// Receives the payload of each segment, in order and exactly once. Return false to refuse the segment for
  /// now. The link then announces BUSY and buffers this segment and the following ones, at most one window.
  /// RssiLink::resume() offers the buffered segments again.
  virtual bool on_segment(ByteSpan payload, Time now) = 0;
  /// Called when send() accepts segments again after room() was 0.
  virtual void on_room(Time now) = 0;
};

/// One end of a connection. Sans-I/O: takes datagrams and the time, and emits datagrams through a
/// DatagramSink, which must not call back into the link. The owner of the link must pass all received
/// datagrams to on_datagram() before it calls on_timer(). Otherwise, a process that was delayed would time
/// out peers whose datagrams are still in the socket's buffer.
class RssiLink {
 public:
  virtual ~RssiLink() = default;

  virtual void on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) = 0;
  virtual void on_timer(Time now) = 0;
  /// Time at which to call on_timer(); kNever if no timer is set. Every other call may change it.
  virtual Time deadline() const = 0;

  virtual bool open() const = 0;
  /// Maximum payload of a segment on this connection in bytes; 0 if no connection is open.
  virtual std::size_t max_payload() const = 0;
  /// Number of segments that send() accepts now.
  virtual std::size_t room() const = 0;
  /// Copies `payload` (1…max_payload() bytes) and sends it as soon as the window allows. Returns false if
  /// room() is 0, no connection is open, or the length is out of range.
  virtual bool send(ByteSpan payload, Time now) = 0;
  /// Sends RST and discards all state of the connection.
  virtual void close(Time now) = 0;
  /// Offers the buffered segments to the user again. Call it when the user can accept them.
  virtual void resume(Time now) = 0;

  virtual const RssiStatus& status() const = 0;
};

}  // namespace softfeb::srp
