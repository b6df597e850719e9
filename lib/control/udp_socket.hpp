// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "control/datagram.hpp"
#include "control/rssi.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace boost::asio {
class io_context;
}

/// UDP sockets for RSSI links: the thin shell that gives the machines datagrams and time. One thread: that
/// which runs the io_context.
namespace softfeb::control {

/// The machine does not give us the socket (exit code 3). what() is the reason and the fix in one line.
class SocketError : public std::runtime_error {
 public:
  SocketError(const std::string& reason, const std::string& fix)
      : std::runtime_error(reason + "; " + fix), reason_(reason), fix_(fix) {}
  const std::string& reason() const { return reason_; }
  const std::string& fix() const { return fix_; }

 private:
  std::string reason_;
  std::string fix_;
};

/// Where the time comes from.
using Clock = std::function<Time()>;
/// The system's steady clock, from an origin of this process.
Time steady_time();

struct UdpCounters {
  std::uint64_t rx_datagrams = 0, rx_bytes = 0;  ///< given to the link
  std::uint64_t rx_refused = 0;                  ///< from addresses that are not allowed
  std::uint64_t rx_too_long = 0;                 ///< longer than any segment
  std::uint64_t tx_datagrams = 0, tx_bytes = 0;
  std::uint64_t tx_dropped = 0;  ///< the socket's buffer was full, or there is no way to the peer
  std::uint64_t errors = 0;      ///< ICMP errors that came back; only connected sockets hear of them
};

/// One socket that feeds one link and carries its datagrams. The link's deadline is followed by itself: after
/// each datagram and timer, and soon after the link has sent anything for another reason. The link outlives
/// the socket's last event: destroy the socket first, or stop the io_context.
class UdpSocket : public DatagramSink {
 public:
  ~UdpSocket() override;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  /// Begins to receive for this link.
  void start(RssiLink& link);
  void send(const UdpPeer& to, ByteSpan datagram) override;
  /// The link has been used from outside in a way that sends nothing: look at its deadline again.
  void follow_deadline();

  std::uint16_t port() const;  ///< local
  const UdpCounters& counters() const;

 protected:
  struct Impl;
  explicit UdpSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<Impl> impl_;
};

/// Bound to an address of this machine. Throws SocketError.
class UdpServerSocket final : public UdpSocket {
 public:
  /// Asked with the source address of each datagram before anything looks into it.
  using Allow = std::function<bool(const roce::IpAddress&)>;

  /// Port 0: any that is free.
  UdpServerSocket(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port,
                  Allow allow, Clock clock = steady_time);
};

/// Connected to a server: hears it alone. Throws SocketError.
class UdpClientSocket final : public UdpSocket {
 public:
  UdpClientSocket(boost::asio::io_context& io, const UdpPeer& server, Clock clock = steady_time);
};

}  // namespace softfeb::control
