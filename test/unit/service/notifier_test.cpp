// SPDX-License-Identifier: BSD-3-Clause
#include "service/notifier.hpp"

#include "temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace softfeb;
using service::Notifier;

namespace {

/// Stands in for the socket of a service manager.
class Manager {
 public:
  explicit Manager(const std::string& address) : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::copy(address.begin(), address.end(), at.sun_path);
    if (address[0] == '@') at.sun_path[0] = 0;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    REQUIRE(bind(fd_, reinterpret_cast<const sockaddr*>(&at), length) == 0);
  }
  ~Manager() { close(fd_); }

  std::vector<std::string> received() {
    std::vector<std::string> all;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = recv(fd_, buffer.data(), buffer.size(), 0)) >= 0;)
      all.emplace_back(buffer.data(), static_cast<std::size_t>(n));
    return all;
  }

 private:
  int fd_;
};

}  // namespace

TEST_CASE("the service manager gets readiness, status, health and the end") {
  const test::TemporaryDirectory folder;
  for (const std::string& address :
       {(folder.path() / "notify").string(), "@softfeb-test-" + std::to_string(getpid())}) {
    INFO(address);
    Manager manager(address);
    Notifier notifier(address, kSecond);
    REQUIRE(notifier.active());
    notifier.status("one\ntwo");
    notifier.ready();
    notifier.ready();
    notifier.alive();
    notifier.stopping();
    notifier.stopping();
    CHECK(manager.received() ==
          std::vector<std::string>{"STATUS=one", "READY=1", "WATCHDOG=1", "STOPPING=1"});
  }
}

TEST_CASE("without a watchdog, health is not reported") {
  const test::TemporaryDirectory folder;
  const std::string address = folder.path() / "notify";
  Manager manager(address);
  Notifier notifier(address, std::nullopt);
  notifier.alive();
  CHECK(manager.received().empty());
}

TEST_CASE("without a service manager, nothing happens") {
  for (const char* address : {"", "@", "relative", "/no/such/socket"}) {
    Notifier notifier(address, kSecond);
    CHECK_FALSE(notifier.active());
    CHECK_FALSE(notifier.watchdog());
    notifier.ready();
    notifier.status("x");
    notifier.alive();
  }
}

TEST_CASE("a full socket does not block the run") {
  const test::TemporaryDirectory folder;
  const std::string address = folder.path() / "notify";
  Manager manager(address);
  Notifier notifier(address, kSecond);
  for (int i = 0; i < 100'000; ++i) notifier.alive();
  CHECK_FALSE(manager.received().empty());
}

TEST_CASE("the watchdog comes from the environment") {
  const test::TemporaryDirectory folder;
  const std::string address = folder.path() / "notify";
  Manager manager(address);
  setenv("NOTIFY_SOCKET", address.c_str(), 1);
  const auto watchdog = [](const char* us, const std::string& pid) {
    setenv("WATCHDOG_USEC", us, 1);
    setenv("WATCHDOG_PID", pid.c_str(), 1);
    return Notifier().watchdog();
  };
  CHECK(watchdog("2000000", std::to_string(getpid())) == 2 * kSecond);
  CHECK_FALSE(watchdog("2000000", std::to_string(getpid() + 1)));
  for (const char* wrong : {"", "0", "-5", "2s"}) CHECK_FALSE(watchdog(wrong, std::to_string(getpid())));
  unsetenv("WATCHDOG_PID");
  unsetenv("WATCHDOG_USEC");
  CHECK_FALSE(Notifier().watchdog());
  unsetenv("NOTIFY_SOCKET");
  CHECK_FALSE(Notifier().active());
}
