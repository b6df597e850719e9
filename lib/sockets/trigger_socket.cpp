// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/trigger_socket.hpp"

#include "sockets/udp_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace softfeb::sockets {

namespace {

sockaddr_storage address_of(const roce::IpAddress& ip, std::uint16_t port) {
  sockaddr_storage out{};
  if (ip.is_v4()) {
    auto& a = reinterpret_cast<sockaddr_in&>(out);
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    std::memcpy(&a.sin_addr, ip.bytes.data() + 12, 4);
  } else {
    auto& a = reinterpret_cast<sockaddr_in6&>(out);
    a.sin6_family = AF_INET6;
    a.sin6_port = htons(port);
    std::memcpy(&a.sin6_addr, ip.bytes.data(), ip.bytes.size());
  }
  return out;
}

}  // namespace

/// Arguments of sendmmsg(): one message for each host. All messages refer to the same bytes.
struct TriggerSocket::Messages {
  std::array<std::uint8_t, kDatagram> bytes{};
  iovec data{};
  std::vector<sockaddr_storage> addresses;
  std::vector<mmsghdr> headers;
};

TriggerSocket::TriggerSocket(const std::vector<roce::IpAddress>& hosts, std::uint16_t port)
    : messages_(std::make_unique<Messages>()) {
  Messages& m = *messages_;
  m.data = {m.bytes.data(), m.bytes.size()};
  for (const roce::IpAddress& ip : hosts) m.addresses.push_back(address_of(ip, port));
  m.headers.resize(hosts.size());
  const bool v4 = hosts.empty() || hosts.front().is_v4();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].is_v4() != v4)
      throw SocketError("some boards have IPv4 addresses, others IPv6",
                        "fix: use one version for all boards");
    m.headers[i].msg_hdr.msg_name = &m.addresses[i];
    m.headers[i].msg_hdr.msg_namelen = v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    m.headers[i].msg_hdr.msg_iov = &m.data;
    m.headers[i].msg_hdr.msg_iovlen = 1;
  }
  fd_ = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0)
    throw SocketError(std::string("no UDP socket: ") + std::strerror(errno),
                      "fix: raise the limit of open files");
}

TriggerSocket::~TriggerSocket() {
  if (fd_ >= 0) close(fd_);
}

void TriggerSocket::resolve() {
  constexpr std::uint16_t kDiscard = 9;
  for (sockaddr_storage to : messages_->addresses) {
    const bool v4 = to.ss_family == AF_INET;
    (v4 ? reinterpret_cast<sockaddr_in&>(to).sin_port : reinterpret_cast<sockaddr_in6&>(to).sin6_port) =
        htons(kDiscard);
    sendto(fd_, nullptr, 0, 0, reinterpret_cast<const sockaddr*>(&to),
           v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  }
}

void TriggerSocket::send(const std::uint8_t* datagram) {
  Messages& m = *messages_;
  std::copy_n(datagram, kDatagram, m.bytes.data());
  for (std::size_t at = 0; at < m.headers.size();) {
    const int n = sendmmsg(fd_, &m.headers[at], static_cast<unsigned>(m.headers.size() - at), 0);
    if (n > 0) {
      sent_ += static_cast<std::uint64_t>(n);
      at += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      ++failed_;
      ++at;
    }
  }
}

std::optional<ByteSpan> TriggerSocket::receive() {
  const ssize_t n = recv(fd_, received_.data(), received_.size(), MSG_DONTWAIT);
  if (n < 0) return std::nullopt;
  return ByteSpan(received_.data(), static_cast<std::size_t>(n));
}

void TriggerSocket::wait(Time longest) const {
  pollfd waiting{fd_, POLLIN, 0};
  const Time length = std::min(longest, kSecond);
  const timespec timeout{static_cast<time_t>(length / kSecond),
                         static_cast<long>(length % kSecond / kNanosecond)};
  ppoll(&waiting, 1, &timeout, nullptr);
}

}  // namespace softfeb::sockets
