// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/udp_shell.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <boost/asio/post.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

namespace softfeb::sockets {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Larger than any segment: an RSSI datagram has at most 8972 bytes with jumbo frames.
constexpr std::size_t kLongestDatagram = 9'216;
constexpr std::size_t kBatch = 32;
/// Maximum number of batches to receive before other sockets are served.
constexpr int kBatches = 4;

/// Buffers are per thread, not per socket, because a process may serve hundreds of sockets.
struct ReceiveBuffers {
  std::array<std::array<std::uint8_t, kLongestDatagram>, kBatch> bytes;
  std::array<sockaddr_storage, kBatch> from;
  std::array<iovec, kBatch> vectors;
  std::array<mmsghdr, kBatch> messages;

  void prepare() {
    for (std::size_t i = 0; i < kBatch; ++i) {
      vectors[i] = {bytes[i].data(), bytes[i].size()};
      messages[i] = {};
      messages[i].msg_hdr.msg_name = &from[i];
      messages[i].msg_hdr.msg_namelen = sizeof from[i];
      messages[i].msg_hdr.msg_iov = &vectors[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
  }
};

ReceiveBuffers& receive_buffers() {
  thread_local const auto buffers = std::make_unique<ReceiveBuffers>();
  return *buffers;
}

srp::UdpPeer peer_of(const sockaddr_storage& address) {
  srp::UdpPeer peer;
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    peer.ip = roce::IpAddress::from_v6_wire(v6.sin6_addr.s6_addr);
    peer.port = ntohs(v6.sin6_port);
  } else {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    peer.ip = roce::IpAddress::from_v4(ntohl(v4.sin_addr.s_addr));
    peer.port = ntohs(v4.sin_port);
  }
  return peer;
}

}  // namespace

Time steady_time() {
  using std::chrono::steady_clock;
  // Picoseconds since the clock's own epoch may overflow 64 bits, so time 0 is one second before the first
  // call. The first call itself is not used as time 0, because other code treats time 0 as a time in the
  // distant past.
  static const auto origin = steady_clock::now() - std::chrono::seconds(1);
  const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - origin);
  return static_cast<Time>(elapsed.count()) * kNanosecond;
}

void UdpSocket::Impl::wait_readable() {
  socket.async_wait(asio::ip::udp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error || !self->socket.is_open()) return;
    self->receive();
    self->follow();
    if (self->socket.is_open()) self->wait_readable();
  });
}

void UdpSocket::Impl::receive() {
  in_event = true;
  for (int i = 0; i < kBatches && receive_batch(); ++i) {
  }
  in_event = false;
}

/// Receives one batch of datagrams. Returns true if more datagrams may be waiting.
bool UdpSocket::Impl::receive_batch() {
  ReceiveBuffers& buffers = receive_buffers();
  buffers.prepare();
  const int n = ::recvmmsg(socket.native_handle(), buffers.messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  if (n < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
    if (errno != EINTR) ++counters.errors;  // ICMP error: the peer is unreachable, maybe temporarily
    return true;
  }
  const Time now = clock();
  for (std::size_t i = 0; i < static_cast<std::size_t>(n) && socket.is_open(); ++i) {
    if ((buffers.messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0)
      ++counters.rx_too_long;
    else
      deliver(peer_of(buffers.from[i]), {buffers.bytes[i].data(), buffers.messages[i].msg_len}, now);
  }
  return n == kBatch;
}

void UdpSocket::Impl::deliver(const srp::UdpPeer& from, ByteSpan datagram, Time now) {
  if (allow && !allow(from.ip)) {
    ++counters.rx_refused;
    return;
  }
  ++counters.rx_datagrams;
  counters.rx_bytes += datagram.size();
  link->on_datagram(from, datagram, now);
}

void UdpSocket::Impl::send(const srp::UdpPeer& to, ByteSpan datagram) {
  follow_soon();
  ssize_t sent = -1;
  if (connected) {
    sent = ::send(socket.native_handle(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } else {
    const auto address = endpoint_of(to.ip, to.port, v6);
    sent = ::sendto(socket.native_handle(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                    address.data(), static_cast<socklen_t>(address.size()));
  }
  if (sent < 0) {
    if (errno == ECONNREFUSED) ++counters.errors;
    ++counters.tx_dropped;
    return;
  }
  ++counters.tx_datagrams;
  counters.tx_bytes += datagram.size();
}

/// Sets the timer to the link's deadline only if the deadline is earlier than the timer. A timer that
/// expires too early costs less than moving the timer with every datagram.
void UdpSocket::Impl::follow() {
  if (link == nullptr) return;
  const Time deadline = link->deadline();
  if (deadline >= armed) return;
  armed = deadline;
  const Time now = clock();
  const Time wait = deadline > now ? deadline - now : 0;
  timer.expires_after(std::chrono::nanoseconds((wait + kNanosecond - 1) / kNanosecond));
  timer.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && self->socket.is_open()) self->on_timer();
  });
}

void UdpSocket::Impl::follow_soon() {
  if (in_event || look_again) return;
  look_again = true;
  asio::post(socket.get_executor(), [self = shared_from_this()] {
    self->look_again = false;
    if (self->socket.is_open()) self->follow();
  });
}

void UdpSocket::Impl::on_timer() {
  armed = kNever;
  receive();  // receive before running timers, or a delay on our side would make the peer look silent
  if (link == nullptr) return;
  in_event = true;
  const Time now = clock();
  if (link->deadline() <= now) link->on_timer(now);
  in_event = false;
  follow();
}

void UdpSocket::Impl::close() {
  error_code ignored;
  timer.cancel();
  socket.close(ignored);
  link = nullptr;
}

}  // namespace softfeb::sockets
