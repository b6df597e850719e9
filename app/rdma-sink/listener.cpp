// SPDX-License-Identifier: BSD-3-Clause
#include "listener.hpp"

#include "device.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace softfeb::sink {

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
