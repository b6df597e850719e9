// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "control/datagram.hpp"
#include "control/rssi.hpp"
#include "dataplane/control_exchange.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/peer_routes.hpp"
#include "engine/control_frame.hpp"
#include "engine/identity.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

struct rte_mempool;

/// Slow control at the boards' own addresses, the control thread's side: datagrams that lanes received go to
/// the boards' RSSI links, and what the links send goes to the lanes as frames. All of it belongs to the
/// control thread.
namespace softfeb::dataplane {

struct InBandConfig {
  std::uint32_t mtu = 1500;          ///< of the port: bytes from the IP header on
  std::uint32_t descriptors = 1024;  ///< of the TX queue, each of which may hold a frame
  unsigned lcores = 1;
  int socket = -1;
};

struct InBandCounters {
  std::uint64_t rx = 0;           ///< datagrams that a link took
  std::uint64_t rx_refused = 0;   ///< from somebody who may not connect
  std::uint64_t rx_unserved = 0;  ///< for an address or port nobody serves, or no datagram at all
  std::uint64_t tx = 0;
  std::uint64_t tx_dropped = 0;  ///< no buffer, or the lane did not keep up
  std::uint64_t tx_refused = 0;  ///< to somebody never heard of, or longer than a frame holds
};

class InBandPort;

/// One UDP port of one board: the way out of its RSSI link. Answers go to the MAC address that the peer's
/// datagrams came from, in the board's VLAN.
class InBandLink final : public control::DatagramSink {
 public:
  using Allow = std::function<bool(const roce::IpAddress&)>;

  /// Made by InBandPort::serve().
  InBandLink(InBandPort& port, std::uint32_t endpoint, const engine::Identity& identity,
             std::uint16_t udp_port, Allow allow);

  /// Who takes the datagrams; it outlives this or is disconnected (null) before it goes.
  void connect(control::RssiLink* link) { link_ = link; }

  /// Longest datagram that a frame of the port holds.
  std::size_t max_datagram() const { return max_datagram_; }

  void send(const control::UdpPeer& to, ByteSpan datagram) override;

 private:
  friend class InBandPort;
  /// False when the sender may not connect.
  bool take(const engine::ReceivedDatagram& datagram, ByteSpan payload, Time now);

  InBandPort& port_;
  std::uint32_t endpoint_;
  engine::Identity identity_;
  std::uint16_t udp_port_;
  std::size_t max_datagram_;
  Allow allow_;
  control::RssiLink* link_ = nullptr;
  PeerRoutes routes_;
};

/// All boards of a lane.
class InBandPort {
 public:
  /// Datagrams that one poll() takes at most, so that a flood does not keep the control thread.
  static constexpr std::size_t kPollShare = 256;

  /// `exchange` is the lane's and outlives this. Throws EnvironmentError without memory for the frames.
  InBandPort(const InBandConfig& config, ControlExchange& exchange, Mempools& pools);

  /// From now on `udp_port` (8192 or 8193) of the board `endpoint` (as in PortMap; it lives on this lane's
  /// worker) is served for those that `allow` lets in. The link stays where it is for this object's life.
  InBandLink& serve(std::uint32_t endpoint, const engine::Identity& identity, std::uint16_t udp_port,
                    InBandLink::Allow allow);

  /// Hands received datagrams to the links and frees the packets; returns how many there were.
  std::size_t poll(Time now);

  const InBandCounters& counters() const { return counters_; }

 private:
  friend class InBandLink;
  void take(const ControlDatagram& received, Time now);
  /// The payload in one piece, valid until the next call.
  ByteSpan in_one_piece(const Segments& payload);
  void send(std::uint32_t endpoint, const engine::Identity& from, const engine::DatagramRoute& to,
            ByteSpan datagram);

  InBandConfig config_;
  ControlExchange& exchange_;
  rte_mempool* pool_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::unique_ptr<InBandLink>> links_;
  std::vector<std::uint8_t> scratch_;
  std::uint16_t identification_ = 0;
  InBandCounters counters_;
};

}  // namespace softfeb::dataplane
