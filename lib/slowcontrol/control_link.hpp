// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "slowcontrol/in_band.hpp"
#include "sockets/udp_socket.hpp"
#include "srp/rssi_closed.hpp"
#include "srp/rssi_server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::slowcontrol {

/// One of a board's two RSSI links, reachable through a socket, through the board's own address on its port
/// (in band), or both. Clients on both paths compete for the one connection.
class ControlLink final : private srp::DatagramSink, private InBandUser {
 public:
  /// Receives the record of each connection that ends. Must not call the link.
  using Closed = std::function<void(const srp::RssiClosed&)>;
  ControlLink(const srp::RssiServerConfig& config, srp::RssiUser& user, Closed closed);
  ControlLink(const ControlLink&) = delete;
  ControlLink& operator=(const ControlLink&) = delete;
  ~ControlLink() override;

  /// Opens a socket and serves clients that use it. Throws SocketError.
  void listen(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port,
              sockets::UdpServerSocket::Allow allow, sockets::Clock clock);
  /// Serves the board's own address as well; `link` must outlive this object.
  void serve(InBandLink& link);

  srp::RssiServer& server() { return server_; }
  const srp::RssiServer& server() const { return server_; }
  /// Ignores all clients from now on.
  void disconnect();
  /// Runs due timers. Needed only for a link without a socket, because a socket has its own timer.
  void run_timers(Time now);
  /// Returns the records of the link's closed connections.
  const srp::RssiHistory& history() const { return history_; }
  /// True if the connected peer uses the board's own address instead of the socket.
  bool in_band() const { return by_own_address(server_.status().peer); }
  std::uint64_t refused() const;  ///< datagrams that the socket received from addresses that may not connect

 private:
  // srp::DatagramSink: sends a reply on the path that the peer uses.
  void send(const srp::UdpPeer& to, ByteSpan datagram) override;
  // InBandUser: receives a datagram that arrived at the board's own address.
  void on_in_band_datagram(const srp::UdpPeer& from, ByteSpan datagram, Time now) override;
  roce::IpAddress in_band_peer() const override { return server_.status().peer.ip; }

  void on_closed(srp::RssiClosed closed);
  bool by_own_address(const srp::UdpPeer& peer) const;
  void heard_in_band(const srp::UdpPeer& from);
  bool came_in_band(const srp::UdpPeer& peer) const;

  srp::RssiServer server_;
  srp::RssiHistory history_;
  Closed closed_;
  std::unique_ptr<sockets::UdpServerSocket> socket_;
  InBandLink* in_band_ = nullptr;
  std::uint64_t refused_ = 0;  ///< value of refused() when the socket was closed
  /// Recent in-band peers, the latest last. Used to choose the path of a reply if the link serves both
  /// paths.
  std::vector<srp::UdpPeer> in_band_peers_;
};

}  // namespace softfeb::slowcontrol
