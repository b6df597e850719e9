// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi.hpp"
#include "srp/rssi_closed.hpp"
#include "srp/rssi_header.hpp"
#include "srp/rssi_rx_window.hpp"
#include "srp/rssi_tx_window.hpp"

#include <functional>
#include <utility>

namespace softfeb::srp {

/// The part of a connection that server and client have in common (doc/rssi.md). The derived classes open the
/// connection and handle its end.
class RssiEndpoint : public RssiLink {
 public:
  RssiEndpoint(DatagramSink& sink, RssiUser& user, std::size_t tx_queue)
      : sink_(sink), user_(user), tx_queue_(tx_queue) {}
  RssiEndpoint(const RssiEndpoint&) = delete;
  RssiEndpoint& operator=(const RssiEndpoint&) = delete;

  bool open() const final { return open_; }
  std::size_t max_payload() const final {
    return open_ ? status_.negotiated.max_segment - rssi::kHeaderSize : 0;
  }
  std::size_t room() const final { return open_ ? tx_.room() : 0; }
  bool send(ByteSpan payload, Time now) final;
  void resume(Time now) final;
  const RssiStatus& status() const final { return status_; }

  /// `closed` receives the record of each connection that ends, before the user of the link is notified.
  /// `closed` must not call the link.
  void notify_closed(std::function<void(const RssiClosed&)> closed) { closed_ = std::move(closed); }

  /// Corrupts the checksum of the next data segment, once, to provoke a retransmission.
  void inject_fault() { fault_ = true; }

 protected:
  /// Bytes by which a received segment may exceed the negotiated size. The board's segments exceed the
  /// negotiated size by one 8-byte word, because of the board's packetizer.
  static constexpr std::size_t kExcess = 8;

  struct Opening {
    UdpPeer peer;
    RssiParameters parameters;
    std::uint8_t tx_first;     ///< sequence number of our first segment after the SYN
    std::uint8_t rx_first;     ///< sequence number of the peer's first segment after the SYN
    std::size_t max_datagram;  ///< longer datagrams are dropped
    Time idle_limit;           ///< the connection closes after the peer has been silent for this long
    /// A segment is retransmitted for at least this long, even beyond the negotiated number of times.
    Time try_for = 0;
    Time keep_alive_after = kNever;  ///< send a NUL after we have been silent for this long
    /// If true, an ACK is sent first, because the client's ACK opens the connection at the server.
    bool greet = false;
    bool answer_reset = false;  ///< answer RST with RST
  };

  void begin(const Opening& opening, Time now);
  /// Processes a segment from the peer of the open connection.
  void receive(const rssi::Segment& segment, Time now);
  void run_timers(Time now);
  Time connection_deadline() const;
  /// Closes the connection. If `reset` is true, sends RST. `by` is the client that replaces the peer, if
  /// any.
  void end(RssiClose why, bool reset, Time now, const UdpPeer* by = nullptr);
  /// Records that the peer of the open connection sent an invalid segment. `what` is the reason and must be
  /// a string literal.
  void note_error(const char* what, Time now);
  void send_ack(Time now) { send_bare(tx_.next_sequence(), now); }
  /// Sends a bare ACK with the first unacknowledged sequence number, for a peer that does not know our
  /// initial sequence number.
  void send_first_ack(Time now) { send_bare(tx_.base(), now); }
  /// Ensures that at least one segment is in flight. A peer that still knows this connection must answer the
  /// segment.
  void provoke(Time now);

  void put(const UdpPeer& to, ByteSpan datagram) { sink_.send(to, datagram); }
  /// One past the last sequence number used; also valid after the connection has ended.
  std::uint8_t next_sequence() const { return tx_.next_sequence(); }
  Time heard_at() const { return heard_at_; }
  Time opened_at() const { return opened_at_; }

  /// Called when the connection has ended, before its user is notified.
  virtual void on_ended(RssiClose why, Time now) = 0;

  RssiStatus status_;

 private:
  // Defined in rssi_receive.cpp.
  void on_ack(const rssi::Header& header, Time now);
  void on_numbered(const rssi::Segment& segment, Time now);
  bool deliver(ByteSpan payload, bool nul, Time now);
  void deliver_held(Time now);
  void settle(Time now);
  std::uint8_t ack_number() const;
  std::size_t unacknowledged() const;

  // Defined in rssi_transmit.cpp.
  void pump(Time now);
  void transmit(std::size_t i, Time now);
  void retransmit(Time now);
  void keep_alive(Time now);
  void send_bare(std::uint8_t sequence, Time now);
  std::uint8_t common_flags() const;
  void note_sent(Time now);
  Time retransmit_deadline() const;

  RssiClosed record(RssiClose why, Time now, const UdpPeer* by) const;

  DatagramSink& sink_;
  RssiUser& user_;
  const std::size_t tx_queue_;

  bool open_ = false;
  rssi::TxWindow tx_;
  rssi::RxWindow rx_;
  Time retransmit_after_ = 0, ack_after_ = 0, idle_limit_ = 0, keep_alive_after_ = kNever;
  std::uint64_t max_transmissions_ = 0;
  std::size_t max_datagram_ = 0;
  bool answer_reset_ = false;

  Time opened_at_ = 0;
  Time heard_at_ = 0;
  RssiKind heard_ = RssiKind::kSyn;
  std::uint64_t retransmitted_before_ = 0;  ///< segments retransmitted on earlier connections
  std::uint64_t errors_ = 0;
  /// True if segments were received since heard_at_, and all of them were invalid.
  bool only_errors_ = false;
  const char* last_error_ = nullptr;
  Time last_error_at_ = 0;
  Time sent_at_ = 0;
  Time ack_at_ = kNever;    ///< time at which to send an ACK if no other segment has carried it by then
  bool ack_now_ = false;    ///< an ACK is due immediately, because of a NUL or a duplicate
  std::uint8_t acked_ = 0;  ///< first sequence number we have not acknowledged
  bool blocked_ = false;    ///< the user refused a segment, so we announce BUSY
  /// Number of segments still to be sent to announce that we are no longer BUSY.
  unsigned clear_repeats_ = 0;
  bool starved_ = false;  ///< room() was 0 after a send(), so the user is notified when there is room again
  bool fault_ = false;
  std::function<void(const RssiClosed&)> closed_;
};

}  // namespace softfeb::srp
