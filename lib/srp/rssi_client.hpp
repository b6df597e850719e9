// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi_endpoint.hpp"

namespace softfeb::srp {

struct RssiClientConfig {
  /// Values proposed to the server. The client accepts segments up to max_segment regardless of the server's
  /// answer.
  RssiParameters proposal{.max_outstanding = 32, .max_segment = 1464};
  std::uint8_t first_sequence = 100;
  std::size_t tx_queue = 64;  ///< maximum number of segments queued beyond the window
  bool reconnect = true;      ///< reconnect when the connection has ended for any reason other than close()
};

/// The client end of a connection to a board, to softfeb, or to a Rogue server.
class RssiClient final : public RssiEndpoint {
 public:
  RssiClient(const RssiClientConfig& config, const UdpPeer& server, DatagramSink& sink, RssiUser& user);

  /// Sends SYNs, without a time limit, until the server answers or close() is called.
  void connect(Time now);
  void on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) override;
  void on_timer(Time now) override;
  Time deadline() const override;
  /// Also aborts a connection attempt. To reconnect, call connect().
  void close(Time now) override;

 private:
  void send_syn(Time now);
  void on_syn_ack(const rssi::Segment& segment, Time now);
  void on_ended(RssiClose why, Time now) override;

  RssiClientConfig config_;
  UdpPeer server_;
  std::uint8_t sequence_;  ///< sequence number of our SYN
  std::uint8_t server_sequence_ = 0;
  Time next_syn_ = kNever;
};

}  // namespace softfeb::srp
