// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/rssi_endpoint.hpp"

namespace softfeb::control {

struct RssiClientConfig {
  /// What is proposed; segments up to max_segment are received, whatever the server answers.
  RssiParameters proposal{.max_outstanding = 32, .max_segment = 1464};
  std::uint8_t first_sequence = 100;
  std::size_t tx_queue = 64;  ///< segments that may wait behind the window
  bool reconnect = true;      ///< begin again after a connection that did not end by close()
};

/// The end that connects: to a board, to softfeb, or to Rogue's server.
class RssiClient final : public RssiEndpoint {
 public:
  RssiClient(const RssiClientConfig& config, const UdpPeer& server, DatagramSink& sink, RssiUser& user);

  /// Sends SYNs until the server answers, however long that takes, or close().
  void connect(Time now);
  void on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) override;
  void on_timer(Time now) override;
  Time deadline() const override;
  /// Also ends the attempt to connect. connect() begins again.
  void close(Time now) override;

 private:
  void send_syn(Time now);
  void on_syn_ack(const rssi::Segment& segment, Time now);
  void on_ended(RssiClose why, Time now) override;

  RssiClientConfig config_;
  UdpPeer server_;
  std::uint8_t sequence_;  ///< of our SYN
  std::uint8_t server_sequence_ = 0;
  Time next_syn_ = kNever;
};

}  // namespace softfeb::control
