// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "control/rate_limit.hpp"
#include "control/rssi_endpoint.hpp"

#include <array>
#include <optional>

namespace softfeb::control {

/// What the firmware's servers hold after reset: for the registers (UDP 8192) and for the stream (8193).
inline constexpr RssiParameters kFirmwareRegisters{16, 1024, 50, 25, 200, 16, 3};
inline constexpr RssiParameters kFirmwareStream{32, 8192, 50, 25, 200, 16, 3};

struct RssiServerConfig {
  /// What is offered: window and segment at most; the other values are the client's to say, and these only
  /// shown, as the firmware has it.
  RssiParameters local = kFirmwareRegisters;
  /// Bounds of what may be offered at run time: a client's registers must not make us allocate at will.
  std::uint8_t max_outstanding_limit = 64;
  std::uint16_t max_segment_limit = 8192;
  std::uint8_t first_sequence = 0x80;  ///< of our SYN, as the firmware
  std::size_t tx_queue = 64;           ///< segments that may wait behind the window
  unsigned syns_per_second = 100;      ///< answered at most, and
  unsigned syn_burst = 20;             ///< that many at once
  /// A connection that lives is not replaced by another client sooner than this after it opened.
  Time guard = kSecond;
  std::uint64_t seed = 1;
};

/// The board's end: one connection at a time, any number of clients in turn. Starts listening when made.
///
/// A SYN never ends a connection by itself, for anybody can send one in anybody's name (doc/rssi.md):
/// another client's is answered while the connection goes on, and replaces it when that client's ACK shows it
/// to be there; the same client's, when the client turns out to know nothing of the connection any more.
class RssiServer final : public RssiEndpoint {
 public:
  RssiServer(const RssiServerConfig& config, DatagramSink& sink, RssiUser& user);

  void on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) override;
  void on_timer(Time now) override;
  Time deadline() const override;
  void close(Time now) override;
  /// The same, for a reason of the caller's.
  void close(RssiClose why, Time now);

  /// In force for the next connection. Window and segment are moved into the limits of the configuration;
  /// the other values are shown, and yield to the client's as the firmware's do.
  void set_local(const RssiParameters& local) { config_.local = local; }
  const RssiParameters& local() const { return config_.local; }

 private:
  /// A SYN answered, with an ACK to come.
  struct Handshake {
    UdpPeer peer;
    RssiParameters parameters;
    std::uint8_t client_sequence = 0;
    std::uint8_t our_sequence = 0;
    Time since = 0, sent_at = 0;
    unsigned sent = 0;
  };

  void on_syn(const UdpPeer& from, const rssi::Segment& segment, Time now);
  bool may_answer(const UdpPeer& from, Time now);
  /// A SYN in the name of the client that is connected: false while it is doubtful who sent it.
  bool client_began_anew(Time now);
  void answer(const UdpPeer& from, const rssi::Segment& segment, Time now);
  void send_syn_ack(Time now);
  void on_handshake(const rssi::Segment& segment, Time now);
  void on_ended(RssiClose why, Time now) override;
  void show_state();
  RssiParameters offer() const;

  RssiServerConfig config_;
  RateLimit syns_;
  Rng random_;
  std::optional<Handshake> handshake_;
  std::optional<Time> doubted_at_;  ///< the client's SYN that made us ask whether the connection stands
};

}  // namespace softfeb::control
