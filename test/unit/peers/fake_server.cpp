// SPDX-License-Identifier: BSD-3-Clause
#include "fake_server.hpp"

#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void give_up_after(int fd) {
  const timeval limit{10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

std::pair<int, std::uint16_t> listen_on_loopback() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || bind(fd, generic, size) != 0 || listen(fd, 1) != 0 || getsockname(fd, generic, &size) != 0)
    throw std::runtime_error("no listening socket on 127.0.0.1");
  give_up_after(fd);
  return {fd, ntohs(address.sin_port)};
}

}  // namespace

std::string FakeServer::Client::read(std::size_t size) const {
  std::string data(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t n = recv(fd_, data.data() + have, size - have, 0);
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  data.resize(have);
  return data;
}

std::string FakeServer::Client::read_line() const {
  std::string line;
  while (!line.ends_with('\n')) {
    const std::string next = read(1);
    if (next.empty()) break;
    line += next;
  }
  return line;
}

void FakeServer::Client::write(const std::string& data) const {
  std::size_t sent = 0;
  while (sent < data.size()) {
    const ssize_t n = send(fd_, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

FakeServer::FakeServer(Script script) {
  std::tie(listener_, port_) = listen_on_loopback();
  thread_ = std::thread([this, script = std::move(script)] {
    const int fd = accept(listener_, nullptr, nullptr);
    if (fd < 0) return;
    give_up_after(fd);
    Client client(fd);
    script(client);
    close(fd);
  });
}

FakeServer::~FakeServer() {
  join();
  close(listener_);
}

void FakeServer::join() {
  if (thread_.joinable()) thread_.join();
}

std::uint16_t unused_port() {
  const auto [fd, port] = listen_on_loopback();
  close(fd);
  return port;
}
