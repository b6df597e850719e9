// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

/// A TCP connection that carries JSON lines. Owns the socket.
class Connection {
 public:
  explicit Connection(int fd);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  /// Takes what has come; false when the other side is gone or sends a line without an end.
  bool receive();
  /// The next whole line, without its end.
  std::optional<std::string> next_line();
  /// Waits at most ten seconds for room; false when the line could not be sent.
  bool send(const nlohmann::json& line);

  std::chrono::steady_clock::time_point since() const { return since_; }

 private:
  int fd_;
  std::string received_;
  std::size_t scanned_ = 0;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// A listening socket; `port` 0 takes any. Throws NoDevice (exit code 3) with the fix.
int listen_on(const std::string& address, std::uint16_t port);
/// "ADDRESS:PORT" of a listening socket.
std::string local_name(int fd);

}  // namespace softfeb::sink
