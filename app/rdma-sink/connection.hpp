// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

inline constexpr std::size_t kMaxLine = std::size_t{16} << 20;  ///< maximum number of bytes of a line

/// A TCP connection that carries JSON lines. Owns the socket.
class Connection {
 public:
  explicit Connection(int fd);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  /// Reads available data. Returns false if the peer closed the connection or an error occurred. Also returns
  /// false if the data not yet returned by next_line() exceeds the maximum length of a line.
  bool receive();
  /// Returns the next complete line, without its terminator.
  std::optional<std::string> next_line();
  /// Returns true if more data is waiting than a line may contain.
  bool line_too_long() const;
  /// Waits at most ten seconds for buffer space. Returns false if this line or an earlier one could not be
  /// sent.
  bool send(const nlohmann::json& line);

  std::chrono::steady_clock::time_point since() const { return since_; }

 private:
  int fd_;
  std::string received_;
  std::size_t scanned_ = 0;
  bool broken_ = false;  ///< a line could not be sent
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// Opens a listening socket; `port` 0 selects any free port. Throws NoDevice (exit code 3) with the fix.
int listen_on(const std::string& address, std::uint16_t port);
/// Returns "ADDRESS:PORT" of a listening socket.
std::string local_name(int fd);

}  // namespace softfeb::sink
