// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "srp/datagram.hpp"
#include "srp/rssi.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace boost::asio {
class io_context;
}

/// UDP sockets for RSSI links: a thin layer that passes datagrams and the time to the protocol state
/// machines. Single-threaded: only the thread that runs the io_context may use them.
namespace softfeb::sockets {

/// Thrown if the system cannot provide a socket (exit code 3). what() gives the reason and the fix in one
/// line.
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

/// Time source.
using Clock = std::function<Time()>;
/// The system's steady clock, with an origin private to this process.
Time steady_time();

struct UdpCounters {
  std::uint64_t rx_datagrams = 0, rx_bytes = 0;  ///< datagrams passed to the link, and their bytes
  std::uint64_t rx_refused = 0;                  ///< datagrams from addresses that may not connect
  std::uint64_t rx_too_long = 0;                 ///< datagrams longer than any segment
  std::uint64_t tx_datagrams = 0, tx_bytes = 0;
  std::uint64_t tx_dropped = 0;  ///< datagrams not sent: the socket buffer was full, or there was no route
  std::uint64_t errors = 0;      ///< ICMP errors, which the system reports only on connected sockets
};

/// A socket that carries the datagrams of one link, with a timer for the link's deadline. Updates the timer
/// after each received datagram, after each timer event, and shortly after the link has sent a datagram for
/// any other reason. The link must outlive the socket's last event: destroy the socket first, or stop the
/// io_context.
class UdpSocket : public srp::DatagramSink {
 public:
  ~UdpSocket() override;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  /// Starts receiving for this link.
  void start(srp::RssiLink& link);
  void send(const srp::UdpPeer& to, ByteSpan datagram) override;
  /// Sets the timer to the link's deadline. Call it after using the link directly if the link sent nothing.
  void follow_deadline();

  std::uint16_t port() const;  ///< local port
  const UdpCounters& counters() const;

 protected:
  struct Impl;
  explicit UdpSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<Impl> impl_;
};

/// A socket bound to an address of this host. The constructor throws SocketError.
class UdpServerSocket final : public UdpSocket {
 public:
  /// Called with the source address of each datagram before the datagram is parsed. If it returns false, the
  /// datagram is dropped.
  using Allow = std::function<bool(const roce::IpAddress&)>;

  /// Port 0 selects any free port.
  UdpServerSocket(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port,
                  Allow allow, Clock clock = steady_time);
};

/// A socket connected to a server. It receives only from that server. The constructor throws SocketError.
class UdpClientSocket final : public UdpSocket {
 public:
  UdpClientSocket(boost::asio::io_context& io, const srp::UdpPeer& server, Clock clock = steady_time);
};

}  // namespace softfeb::sockets
