// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/control_exchange.hpp"
#include "dataplane/mempools.hpp"
#include "engine/control_frame.hpp"
#include "engine/identity.hpp"
#include "slowcontrol/peer_routes.hpp"
#include "srp/datagram.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

struct rte_mempool;

/// The control thread's side of in-band slow control. Port queues pass datagrams that they received at the
/// boards' addresses to the boards' RSSI links. Datagrams that the links send are passed back to the port
/// queues as frames. Everything here runs on the control thread.
namespace softfeb::slowcontrol {

struct InBandConfig {
  std::uint32_t mtu = 1500;          ///< MTU of the port in bytes, including the IP header
  std::uint32_t descriptors = 1024;  ///< number of TX queue descriptors, each of which may hold a frame
  unsigned lcores = 1;
  int socket = -1;
};

struct InBandCounters {
  std::uint64_t rx = 0;           ///< datagrams delivered to a link
  std::uint64_t rx_refused = 0;   ///< datagrams whose sender is not allowed to connect
  std::uint64_t rx_unserved = 0;  ///< datagrams that are invalid or that no link serves
  std::uint64_t tx = 0;
  std::uint64_t tx_dropped = 0;  ///< datagrams lost because no buffer was free or the ring was full
  std::uint64_t tx_refused = 0;  ///< datagrams without a route to the peer, or too long for a frame
};

class InBandPort;

/// Receives the datagrams of an InBandLink.
class InBandUser {
 public:
  virtual ~InBandUser() = default;
  virtual void on_in_band_datagram(const srp::UdpPeer& from, ByteSpan datagram, Time now) = 0;
  /// Returns the peer of the open connection, whose MAC address must not be dropped.
  virtual roce::IpAddress in_band_peer() const = 0;
};

/// One UDP port of one board, and the transmit path of its RSSI link. Replies go to the source MAC address of
/// the peer's datagrams, in the board's VLAN.
class InBandLink final : public srp::DatagramSink {
 public:
  using Allow = std::function<bool(const roce::IpAddress&)>;

  /// Called only by InBandPort::serve().
  InBandLink(InBandPort& port, std::uint32_t endpoint, const engine::Identity& identity,
             std::uint16_t udp_port, Allow allow);

  /// Sets the receiver of datagrams. If `user` is null, received datagrams are dropped. Before `user` is
  /// destroyed, call this function with null, or destroy this object.
  void connect(InBandUser* user) { user_ = user; }

  /// Longest datagram, in bytes, that fits a frame of the port.
  std::size_t max_datagram() const { return max_datagram_; }

  void send(const srp::UdpPeer& to, ByteSpan datagram) override;

 private:
  friend class InBandPort;
  /// Returns false if the sender is not allowed to connect.
  bool take(const engine::ReceivedDatagram& datagram, ByteSpan payload, Time now);

  InBandPort& port_;
  std::uint32_t endpoint_;
  engine::Identity identity_;
  std::uint16_t udp_port_;
  std::size_t max_datagram_;
  Allow allow_;
  InBandUser* user_ = nullptr;
  PeerRoutes routes_;
};

/// In-band slow control of all boards of a port queue.
class InBandPort {
 public:
  /// Maximum number of datagrams per poll(), so that a flood cannot starve the control thread.
  static constexpr std::size_t kPollShare = 256;

  /// `exchange` belongs to the port queue and must outlive this object. Throws EnvironmentError if there is
  /// not enough memory for the frames.
  InBandPort(const InBandConfig& config, dataplane::ControlExchange& exchange, dataplane::Mempools& pools);

  /// Serves `udp_port` (8192 or 8193) of a board to the senders that `allow` accepts. `endpoint` is the
  /// board's index in PortMap; this port queue's worker must run the board. The reference stays valid for
  /// the lifetime of this object.
  InBandLink& serve(std::uint32_t endpoint, const engine::Identity& identity, std::uint16_t udp_port,
                    InBandLink::Allow allow);

  /// Delivers received datagrams to the links and frees the packets. Returns the number of datagrams.
  std::size_t poll(Time now);

  const InBandCounters& counters() const { return counters_; }

 private:
  friend class InBandLink;
  void take(const dataplane::ControlDatagram& received, Time now);
  /// Returns the payload as one contiguous span, valid until the next call.
  ByteSpan in_one_piece(const Segments& payload);
  void send(std::uint32_t endpoint, const engine::Identity& from, const engine::DatagramRoute& to,
            ByteSpan datagram);

  InBandConfig config_;
  dataplane::ControlExchange& exchange_;
  rte_mempool* pool_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::unique_ptr<InBandLink>> links_;
  std::vector<std::uint8_t> scratch_;
  std::uint16_t identification_ = 0;
  InBandCounters counters_;
};

}  // namespace softfeb::slowcontrol
