// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

/// A TCP server on loopback that serves one client with a script, in a thread of its own. Its operations give
/// up after ten seconds, so that a failing test ends; what went wrong is for the client's side to notice.
class FakeServer {
 public:
  class Client {
   public:
    explicit Client(int fd) : fd_(fd) {}
    /// Exactly `size` bytes, or fewer when the client has gone.
    std::string read(std::size_t size) const;
    /// Up to and with the newline.
    std::string read_line() const;
    void write(const std::string& data) const;

   private:
    int fd_;
  };
  using Script = std::function<void(Client&)>;

  explicit FakeServer(Script script);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Waits for the script's end.
  void join();

 private:
  int listener_;
  std::uint16_t port_;
  std::thread thread_;
};

/// A port of loopback nobody listens on.
std::uint16_t unused_port();
