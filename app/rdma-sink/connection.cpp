// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include <array>
#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace softfeb::sink {

Connection::Connection(int fd) : fd_(fd) {
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
  if (!unsent()) unsent_since_ = Clock::now();
  // The line may contain received text, which is not always valid UTF-8.
  unsent_ += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return flush();
}

bool Connection::flush() {
  while (!broken_ && unsent()) {
    const ssize_t n =
        ::send(fd_, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0)
      broken_ = true;
    else
      sent_ += static_cast<std::size_t>(n);
  }
  if (!unsent()) {
    unsent_.clear();
    sent_ = 0;
  } else if (Clock::now() - unsent_since_ > kLongestSend) {
    broken_ = true;
  }
  return !broken_;
}

void Connection::flush_until(Clock::time_point end) {
  while (flush() && unsent()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return;
    pollfd room{fd_, POLLOUT, 0};
    ::poll(&room, 1, static_cast<int>(left));
  }
}

}  // namespace softfeb::sink
