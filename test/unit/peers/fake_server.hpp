// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

/// A TCP server on loopback that serves one client. It runs a script on its own thread. The script's
/// operations time out after ten seconds, so that a failing test ends. The client's side then reports the
/// failure.
class FakeServer {
 public:
  class Client {
   public:
    explicit Client(int fd) : fd_(fd) {}
    /// Reads exactly `size` bytes, or fewer if the client disconnects.
    std::string read(std::size_t size) const;
    /// Reads up to and including the newline.
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
  /// Waits for the end of the script.
  void join();

 private:
  int listener_;
  std::uint16_t port_;
  std::thread thread_;
};

/// Returns a loopback port on which nothing listens.
std::uint16_t unused_port();
