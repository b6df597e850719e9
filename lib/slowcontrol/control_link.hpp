// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/in_band.hpp"
#include "sockets/udp_socket.hpp"
#include "srp/rssi_closed.hpp"
#include "srp/rssi_server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::slowcontrol {

/// One of a board's two RSSI links and the ways that lead to it: a socket, the board's own address on its
/// port, or both. Clients of either way compete for the one connection, as those of one wire do.
class ControlLink {
 public:
  /// `closed` gets the record of each connection that ends; it must not call the link.
  using Closed = std::function<void(const srp::RssiClosed&)>;
  ControlLink(const srp::RssiServerConfig& config, srp::RssiUser& user, Closed closed);
  ControlLink(const ControlLink&) = delete;
  ControlLink& operator=(const ControlLink&) = delete;
  ~ControlLink();

  /// Throws SocketError.
  void listen(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port,
              sockets::UdpServerSocket::Allow allow, sockets::Clock clock);
  /// `link` outlives this.
  void serve(dataplane::InBandLink& link);

  srp::RssiServer& server() { return server_; }
  const srp::RssiServer& server() const { return server_; }
  /// No client is heard from here on.
  void disconnect();
  /// Timers of a link without a socket, which would see to them.
  void follow_timers(Time now);
  /// The connections that have ended.
  const srp::RssiHistory& history() const { return history_; }
  /// The connected peer came by the board's own address, not by the socket.
  bool in_band() const { return by_own_address(server_.status().peer); }
  std::uint64_t refused() const;  ///< datagrams to its socket from addresses that may not connect

 private:
  /// The link as one way sees it, which remembers who came by it.
  class Way final : public srp::RssiLink {
   public:
    Way(ControlLink& link, bool in_band) : link_(link), in_band_(in_band) {}

    void on_datagram(const srp::UdpPeer& from, ByteSpan datagram, Time now) override;
    void on_timer(Time now) override { server().on_timer(now); }
    Time deadline() const override { return server().deadline(); }
    bool open() const override { return server().open(); }
    std::size_t max_payload() const override { return server().max_payload(); }
    std::size_t room() const override { return server().room(); }
    bool send(ByteSpan payload, Time now) override { return server().send(payload, now); }
    void close(Time now) override { server().close(now); }
    void resume(Time now) override { server().resume(now); }
    const srp::RssiStatus& status() const override { return server().status(); }

   private:
    srp::RssiServer& server() const { return link_.server_; }

    ControlLink& link_;
    bool in_band_;
  };

  /// Sends answers by the way their peer came.
  class Ways final : public srp::DatagramSink {
   public:
    explicit Ways(ControlLink& link) : link_(link) {}
    void send(const srp::UdpPeer& to, ByteSpan datagram) override;

   private:
    ControlLink& link_;
  };

  void on_closed(srp::RssiClosed closed);
  bool by_own_address(const srp::UdpPeer& peer) const;
  void heard_in_band(const srp::UdpPeer& from);
  bool came_in_band(const srp::UdpPeer& peer) const;

  Ways ways_{*this};
  srp::RssiServer server_;
  srp::RssiHistory history_;
  Closed closed_;
  Way by_socket_{*this, false};
  Way by_port_{*this, true};
  std::unique_ptr<sockets::UdpServerSocket> socket_;
  dataplane::InBandLink* in_band_ = nullptr;
  std::uint64_t refused_ = 0;  ///< when the socket closed
  std::vector<srp::UdpPeer>
      in_band_peers_;  ///< the one heard last at the end; only where both ways lead here
};

}  // namespace softfeb::slowcontrol
