// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/rssi.hpp"
#include "control/rssi_closed.hpp"
#include "control/rssi_header.hpp"
#include "control/rssi_rx_window.hpp"
#include "control/rssi_tx_window.hpp"

#include <functional>
#include <utility>

namespace softfeb::control {

/// What both ends of an open connection do alike (doc/rssi.md). Server and client add how one comes about
/// and what follows its end.
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

  /// `closed` gets the record of each connection that ends, before the link's user hears of it. It must not
  /// call the link.
  void notify_closed(std::function<void(const RssiClosed&)> closed) { closed_ = std::move(closed); }

  /// The next data segment leaves with a wrong checksum, once: a retransmission for whoever wants to see one.
  void inject_fault() { fault_ = true; }

 protected:
  /// A segment may be a word longer than negotiated: the board's are, by its packetizer's arithmetic.
  static constexpr std::size_t kExcess = 8;

  struct Opening {
    UdpPeer peer;
    RssiParameters parameters;
    std::uint8_t tx_first;           ///< number of our first segment after the SYN
    std::uint8_t rx_first;           ///< of the peer's
    std::size_t max_datagram;        ///< longer ones are dropped
    Time idle_limit;                 ///< silence of the peer that ends the connection
    Time try_for = 0;                ///< how long a segment is repeated at least, whatever was negotiated
    Time keep_alive_after = kNever;  ///< silence of ours that makes us send a NUL
    bool greet = false;              ///< an ACK leaves before all else: the client's, which opens the server
    bool answer_reset = false;       ///< RST is answered with RST
  };

  void begin(const Opening& opening, Time now);
  /// A segment of the open connection's peer.
  void receive(const rssi::Segment& segment, Time now);
  void run_timers(Time now);
  Time connection_deadline() const;
  /// Forgets the connection. `reset`: the peer is told. `by`: who takes its place.
  void end(RssiClose why, bool reset, Time now, const UdpPeer* by = nullptr);
  /// The open connection's peer sent something invalid, which is dropped. `what`: a string literal.
  void note_error(const char* what, Time now);
  void send_ack(Time now) { send_bare(tx_.next_sequence(), now); }
  /// A bare ACK that names the first number the peer may not have, for one that does not know where we began.
  void send_first_ack(Time now) { send_bare(tx_.base(), now); }
  /// Sends something that a peer which knows of this connection must answer.
  void provoke(Time now);

  void put(const UdpPeer& to, ByteSpan datagram) { sink_.send(to, datagram); }
  /// Also after the end: the number behind the last one used.
  std::uint8_t next_sequence() const { return tx_.next_sequence(); }
  Time heard_at() const { return heard_at_; }
  Time opened_at() const { return opened_at_; }

  /// The connection has ended; its user is told next.
  virtual void on_ended(RssiClose why, Time now) = 0;

  RssiStatus status_;

 private:
  // rssi_receive.cpp
  void on_ack(const rssi::Header& header, Time now);
  void on_numbered(const rssi::Segment& segment, Time now);
  bool deliver(ByteSpan payload, bool nul, Time now);
  void deliver_held(Time now);
  void settle(Time now);
  std::uint8_t ack_number() const;
  std::size_t unacknowledged() const;

  // rssi_transmit.cpp
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
  std::uint64_t retransmitted_before_ = 0;  ///< on earlier connections
  std::uint64_t errors_ = 0;
  bool only_errors_ = false;  ///< since heard_at_ something came, and it was invalid
  const char* last_error_ = nullptr;
  Time last_error_at_ = 0;
  Time sent_at_ = 0;
  Time ack_at_ = kNever;        ///< when an ACK is to be sent if nothing carries it before
  bool ack_now_ = false;        ///< owed for a NUL or for something known
  std::uint8_t acked_ = 0;      ///< first number we have not acknowledged
  bool blocked_ = false;        ///< the user cannot take more: BUSY
  unsigned clear_repeats_ = 0;  ///< how often it is yet to be said that we are no longer BUSY
  bool starved_ = false;        ///< the user wants to hear of room
  bool fault_ = false;
  std::function<void(const RssiClosed&)> closed_;
};

}  // namespace softfeb::control
