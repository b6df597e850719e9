// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "srp/rate_limit.hpp"
#include "srp/rssi_endpoint.hpp"

#include <array>
#include <optional>

namespace softfeb::srp {

/// Reset values of the firmware's servers: registers (UDP 8192) and stream (UDP 8193).
inline constexpr RssiParameters kFirmwareRegisters{16, 1024, 50, 25, 200, 16, 3};
inline constexpr RssiParameters kFirmwareStream{32, 8192, 50, 25, 200, 16, 3};

struct RssiServerConfig {
  /// Parameters offered to clients. Window and segment size are limits. The client chooses all other
  /// values, and our values for them are only reported, as in the firmware.
  RssiParameters local = kFirmwareRegisters;
  /// Upper limits of the offered window and segment size. Clients can change the offer by writing registers,
  /// so the limits bound the memory that we allocate.
  std::uint8_t max_outstanding_limit = 64;
  std::uint16_t max_segment_limit = 8192;
  /// Sequence number of our SYN, as in the firmware. While a connection is open, the server uses a random
  /// number instead.
  std::uint8_t first_sequence = 0x80;
  std::size_t tx_queue = 64;       ///< maximum number of segments queued beyond the window
  unsigned syns_per_second = 100;  ///< maximum rate of SYNs answered
  unsigned syn_burst = 20;         ///< maximum number of SYNs answered at once
  /// For this long after a connection has opened, another client can replace the connected client only if
  /// the connected client has been silent for half the null timeout.
  Time guard = kSecond;
  std::uint64_t seed = 1;
};

/// The server end of a connection, used by boards. Serves one connection at a time and listens from
/// construction on.
///
/// A SYN alone never closes a connection, since its source address may be forged (doc/rssi.md). A SYN from
/// another client is answered while the connection stays open; that client's ACK then proves its address and
/// replaces the connection. A SYN from the connected client replaces the connection only if the client no
/// longer answers on the connection.
class RssiServer final : public RssiEndpoint {
 public:
  RssiServer(const RssiServerConfig& config, DatagramSink& sink, RssiUser& user);

  void on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) override;
  void on_timer(Time now) override;
  Time deadline() const override;
  void close(Time now) override;
  /// Closes the connection for the reason `why`.
  void close(RssiClose why, Time now);

  /// Sets the values offered for the next connection. Window and segment size are clamped to the limits of
  /// the configuration. The other values are only reported, because the client's values apply, as in the
  /// firmware.
  void set_local(const RssiParameters& local) { config_.local = local; }
  const RssiParameters& local() const { return config_.local; }

 private:
  /// An answered SYN, for which the client's ACK has not arrived yet.
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
  /// Handles a SYN from the address of the connected client. Returns false until it is certain that the
  /// client has restarted.
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
  std::optional<Time> doubted_at_;  ///< time of the SYN that made us probe the connection
};

}  // namespace softfeb::srp
