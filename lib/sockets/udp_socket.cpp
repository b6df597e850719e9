// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/udp_socket.hpp"

#include "sockets/udp_shell.hpp"

#include <utility>

#include <boost/asio/ip/v6_only.hpp>
#include <sys/socket.h>

namespace softfeb::sockets {

namespace asio = boost::asio;
using asio::ip::udp;
using boost::system::error_code;

namespace {

/// Size of a socket buffer in bytes. The buffer has room for a window of jumbo segments, including the
/// kernel's memory overhead per packet.
constexpr int kSocketBuffer = 4 * 1024 * 1024;

/// Sets the buffer size to kSocketBuffer, or to the largest size that the kernel allows. Sizes above
/// net.core.rmem_max and wmem_max require privileges.
void set_buffer(udp::socket& socket, int force, int plain) {
  const int bytes = kSocketBuffer;
  if (::setsockopt(socket.native_handle(), SOL_SOCKET, force, &bytes, sizeof bytes) == 0) return;
  static_cast<void>(::setsockopt(socket.native_handle(), SOL_SOCKET, plain, &bytes, sizeof bytes));
}

std::string to_text(const roce::IpAddress& ip, std::uint16_t port) {
  const std::string text = ip.to_string();
  return (ip.is_v4() ? text : "[" + text + "]") + ":" + std::to_string(port);
}

std::string fix_of_bind(const error_code& error, const roce::IpAddress& ip, std::uint16_t port) {
  if (error == asio::error::address_in_use)
    return "stop the program that uses it (ss -lunp 'sport = :" + std::to_string(port) +
           "' shows it) or choose another port";
  if (error == boost::system::errc::address_not_available)
    return "assign the address to this machine (ip address add " + ip.to_string() +
           " dev …), or listen on one that it has";
  if (error == asio::error::access_denied)
    return "choose a port above 1023, or grant the program CAP_NET_BIND_SERVICE";
  return "choose another address or port";
}

void open(udp::socket& socket, const udp::endpoint& endpoint) {
  error_code error;
  socket.open(endpoint.protocol(), error);
  if (error)
    throw SocketError("cannot create a UDP socket: " + error.message(),
                      "allow the program more open files (ulimit -n), and enable this address family");
  socket.non_blocking(true, error);
  if (endpoint.address().is_v6()) socket.set_option(asio::ip::v6_only(false), error);
  set_buffer(socket, SO_RCVBUFFORCE, SO_RCVBUF);
  set_buffer(socket, SO_SNDBUFFORCE, SO_SNDBUF);
}

}  // namespace

UdpSocket::~UdpSocket() { impl_->close(); }

void UdpSocket::start(srp::RssiLink& link) {
  impl_->link = &link;
  impl_->wait_readable();
  impl_->follow_soon();
}

void UdpSocket::send(const srp::UdpPeer& to, ByteSpan datagram) { impl_->send(to, datagram); }
void UdpSocket::follow_deadline() { impl_->follow_soon(); }
const UdpCounters& UdpSocket::counters() const { return impl_->counters; }

std::uint16_t UdpSocket::port() const {
  error_code error;
  return impl_->socket.local_endpoint(error).port();
}

UdpServerSocket::UdpServerSocket(asio::io_context& io, const roce::IpAddress& address, std::uint16_t port,
                                 Allow allow, Clock clock)
    : UdpSocket(std::make_shared<Impl>(io, std::move(clock))) {
  impl_->allow = std::move(allow);
  impl_->v6 = !address.is_v4();
  const udp::endpoint endpoint = endpoint_of(address, port, impl_->v6);
  open(impl_->socket, endpoint);
  error_code error;
  impl_->socket.bind(endpoint, error);
  if (error)
    throw SocketError("cannot listen on UDP " + to_text(address, port) + ": " + error.message(),
                      fix_of_bind(error, address, port));
}

UdpClientSocket::UdpClientSocket(asio::io_context& io, const srp::UdpPeer& server, Clock clock)
    : UdpSocket(std::make_shared<Impl>(io, std::move(clock))) {
  const udp::endpoint endpoint = endpoint_of(server.ip, server.port, !server.ip.is_v4());
  open(impl_->socket, endpoint);
  error_code error;
  impl_->socket.connect(endpoint, error);
  if (error)
    throw SocketError(
        "no route to UDP " + to_text(server.ip, server.port) + ": " + error.message(),
        "check the address and this machine's routes (ip route get " + server.ip.to_string() + ")");
  impl_->connected = true;
}

}  // namespace softfeb::sockets
