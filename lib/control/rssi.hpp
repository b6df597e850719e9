// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "control/datagram.hpp"

#include <cstddef>
#include <cstdint>

/// RSSI v1, the reliable stream over UDP that the board's slow control uses: the parts that its users see.
namespace softfeb::control {

/// Parameters as they stand in a SYN header. Times in milliseconds.
struct RssiParameters {
  std::uint8_t max_outstanding = 16;  ///< segments sent and not acknowledged
  std::uint16_t max_segment = 1024;   ///< bytes of a datagram, RSSI header included
  std::uint16_t retransmit_ms = 20;
  std::uint16_t cumulative_ack_ms = 5;
  std::uint16_t null_ms = 1000;
  std::uint8_t max_retransmissions = 15;
  std::uint8_t max_cumulative_acks = 2;

  bool operator==(const RssiParameters&) const = default;
};

enum class RssiState : std::uint8_t { kListen, kSynSent, kWaitAck, kOpen, kClosed };

/// The firmware's number of a state, as its register ConnState shows it.
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
  kByPeer,      ///< RST
  kByUs,        ///< close() by whoever uses the link
  kTimeout,     ///< nothing heard for the null timeout
  kRetransmit,  ///< a segment was sent as often as allowed
  kReplaced,    ///< another client came
  kRestarted,   ///< the same client began anew
  kProtocol,    ///< for the null timeout the peer sent nothing but invalid segments
  kRegister,    ///< the firmware's register CloseConn was written
  kShutdown,    ///< the program ends
};
inline constexpr std::size_t kRssiCloses = 9;
static_assert(static_cast<std::size_t>(RssiClose::kShutdown) + 1 == kRssiCloses);

/// What a link tells about itself.
struct RssiStatus {
  RssiState state = RssiState::kListen;
  RssiParameters negotiated;  ///< of the open connection, or of the last one
  UdpPeer peer;               ///< likewise
  bool local_busy = false;
  bool remote_busy = false;
  std::uint8_t tx_last_ack = 0;  ///< highest number of ours the peer has acknowledged
  std::uint8_t rx_seq = 0;       ///< of the last segment received
  std::uint8_t rx_ack = 0;       ///< acknowledge number of the last segment received
  std::uint8_t rx_last_seq = 0;  ///< last segment received in order
  std::uint64_t valid = 0;       ///< segments taken
  std::uint64_t dropped = 0;     ///< malformed, bad checksum, out of order, foreign
  std::uint64_t retransmitted = 0;
  std::uint64_t reconnects = 0;                 ///< connections opened
  std::uint64_t refused = 0;                    ///< SYNs that were valid and not answered: too many, too soon
  std::uint64_t tx_segments = 0, tx_bytes = 0;  ///< with data; RSSI payload bytes
  std::uint64_t rx_segments = 0, rx_bytes = 0;
};

/// Who uses a link. Called from inside on_datagram(), on_timer(), resume() and close() of the link; may call
/// send() and close() from there.
class RssiUser {
 public:
  virtual ~RssiUser() = default;
  virtual void on_open(Time now) = 0;
  virtual void on_close(RssiClose why, Time now) = 0;
  /// The payload of a segment, in order, once. False: cannot be taken now. The link then shows BUSY, keeps
  /// this and what follows up to a window, and offers it again from RssiLink::resume().
  virtual bool on_segment(ByteSpan payload, Time now) = 0;
  /// send() has room again after it had none.
  virtual void on_room(Time now) = 0;
};

/// One end of a connection. Sans-I/O: datagrams and time go in, datagrams come out through a DatagramSink
/// (which must not call back into the link). Whoever drives it hands over what has arrived before on_timer():
/// a program that was held up would otherwise find its peers silent.
class RssiLink {
 public:
  virtual ~RssiLink() = default;

  virtual void on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) = 0;
  virtual void on_timer(Time now) = 0;
  /// When on_timer() is to be called if nothing happens before; kNever.
  virtual Time deadline() const = 0;

  virtual bool open() const = 0;
  /// Payload bytes of one segment on this connection; 0 when not open.
  virtual std::size_t max_payload() const = 0;
  /// Segments that send() takes now.
  virtual std::size_t room() const = 0;
  /// Copies `payload` (1…max_payload() bytes) and sends it as soon as the window lets it. False without room
  /// or connection.
  virtual bool send(ByteSpan payload, Time now) = 0;
  /// RST to the peer, everything forgotten.
  virtual void close(Time now) = 0;
  /// The user can take segments again.
  virtual void resume(Time now) = 0;

  virtual const RssiStatus& status() const = 0;
};

}  // namespace softfeb::control
