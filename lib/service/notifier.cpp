// SPDX-License-Identifier: BSD-3-Clause
#include "service/notifier.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace softfeb::service {

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the interval of the watchdog, or nullopt if there is none or if it is meant for a parent process.
std::optional<Time> watchdog_of_environment() {
  constexpr std::int64_t kLongest = 24LL * 3600 * 1'000'000;
  const auto us = number(environment("WATCHDOG_USEC"));
  const std::string pid = environment("WATCHDOG_PID");
  if (!us || *us <= 0 || (!pid.empty() && number(pid) != getpid())) return std::nullopt;
  return static_cast<Time>(std::min(*us, kLongest)) * kMicrosecond;
}

int connect_to(const std::string& address) {
  sockaddr_un to{};
  if (address.size() < 2 || address.size() >= sizeof to.sun_path) return -1;
  if (address[0] != '/' && address[0] != '@') return -1;
  to.sun_family = AF_UNIX;
  std::copy(address.begin(), address.end(), to.sun_path);
  if (address[0] == '@') to.sun_path[0] = 0;
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  // A name in the abstract namespace has no terminating zero.
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size() +
                                             (address[0] == '@' ? 0U : 1U));
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), length) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

Notifier::Notifier() : Notifier(environment("NOTIFY_SOCKET"), watchdog_of_environment()) {}

Notifier::Notifier(const std::string& address, std::optional<Time> watchdog)
    : socket_(connect_to(address)), watchdog_(socket_ >= 0 ? watchdog : std::nullopt) {}

Notifier::~Notifier() {
  if (socket_ >= 0) close(socket_);
}

void Notifier::ready() {
  if (!std::exchange(ready_, true)) send("READY=1");
}

void Notifier::status(std::string_view text) {
  std::string line = "STATUS=";
  line += text.substr(0, text.find('\n'));
  send(line);
}

void Notifier::alive() {
  if (watchdog_) send("WATCHDOG=1");
}

void Notifier::stopping() {
  if (!std::exchange(stopping_, true)) send("STOPPING=1");
}

void Notifier::send(std::string_view text) const {
  // Ignore errors: the run must go on even if the service manager is slow or gone.
  if (socket_ >= 0) static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace softfeb::service
