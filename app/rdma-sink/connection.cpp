// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include "device.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace softfeb::sink {

Connection::Connection(int fd) : fd_(fd) {
  const timeval limit{10, 0};
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

Connection::~Connection() { close(fd_); }

bool Connection::receive() {
  std::array<char, 65536> buffer;
  const ssize_t n = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(n));
  return !line_too_long();
}

bool Connection::line_too_long() const { return received_.size() > kMaxLine; }

std::optional<std::string> Connection::next_line() {
  const std::size_t end = received_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = received_.size();
    return std::nullopt;
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  scanned_ = 0;
  return line;
}

bool Connection::send(const nlohmann::json& line) {
  // The line may contain received text, which may not be valid UTF-8.
  if (broken_) return false;
  std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::send(fd_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      broken_ = true;
      return false;
    }
    at += static_cast<std::size_t>(n);
  }
  return true;
}

int listen_on(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  if (const int error = getaddrinfo(address.c_str(), service.c_str(), &hints, &found); error != 0)
    throw NoDevice("--listen " + address + ": " + gai_strerror(error) +
                   "; fix: use an address of this machine");
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool bound = fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, 16) == 0;
  const int error = errno;
  freeaddrinfo(found);
  if (bound) return fd;
  if (fd >= 0) close(fd);
  throw NoDevice("cannot listen on " + address + " port " + service + ": " + std::strerror(error) +
                 "; fix: use another --port, or --listen with an address of this machine");
}

std::string local_name(int fd) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  auto* address = reinterpret_cast<sockaddr*>(&name);
  if (getsockname(fd, address, &size) != 0) return "?";
  if (getnameinfo(address, size, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "?";
  return std::string(host.data()) + ":" + port.data();
}

}  // namespace softfeb::sink
