// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sockets/udp_socket.hpp"

#include <cstddef>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace softfeb::sockets {

/// Converts `ip` to an endpoint for a socket. `v6` is true if the socket's address family is IPv6; IPv4
/// addresses then become IPv4-mapped.
inline boost::asio::ip::udp::endpoint endpoint_of(const roce::IpAddress& ip, std::uint16_t port, bool v6) {
  if (v6) return {boost::asio::ip::address_v6(ip.bytes), port};
  return {boost::asio::ip::address_v4(ip.v4()), port};
}

/// Implementation of UdpSocket. Pending handlers hold a reference until they have run.
struct UdpSocket::Impl : std::enable_shared_from_this<UdpSocket::Impl> {
  Impl(boost::asio::io_context& context, Clock from)
      : socket(context), timer(context), clock(std::move(from)) {}

  void wait_readable();
  void receive();
  bool receive_batch();
  void deliver(const srp::UdpPeer& from, ByteSpan datagram, Time now);
  void send(const srp::UdpPeer& to, ByteSpan datagram);
  void follow();
  void follow_soon();
  void on_timer();
  void close();

  boost::asio::ip::udp::socket socket;
  boost::asio::steady_timer timer;
  Clock clock;
  UdpServerSocket::Allow allow;  ///< if empty, all addresses are accepted
  bool v6 = false;
  bool connected = false;
  srp::RssiLink* link = nullptr;
  UdpCounters counters;
  Time armed = kNever;      ///< time at which the timer expires
  bool in_event = false;    ///< true while an event is handled; the deadline is checked after that
  bool look_again = false;  ///< true if a posted handler will check the deadline
};

}  // namespace softfeb::sockets
