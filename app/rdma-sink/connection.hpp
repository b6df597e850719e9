// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

inline constexpr std::size_t kMaxLine = std::size_t{16} << 20;  ///< maximum number of bytes of a line
inline constexpr std::chrono::seconds kLongestSend{30};         ///< time in which a client must accept a line

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
  /// Sends a line. Queues the part that the kernel does not accept immediately, because a client that does
  /// not read must not delay other clients. Send the next line only when unsent() is false, so that the queue
  /// is bounded by the longest line. Returns false if the connection can no longer be used.
  bool send(const nlohmann::json& line);
  /// Sends the queued bytes. Returns false if the connection can no longer be used, for example because the
  /// client has not accepted a line within kLongestSend.
  bool flush();
  bool unsent() const { return sent_ < unsent_.size(); }
  /// Sends the queued bytes, and waits until they have been sent, but not longer than until `end`.
  void flush_until(std::chrono::steady_clock::time_point end);

  std::chrono::steady_clock::time_point since() const { return since_; }

 private:
  using Clock = std::chrono::steady_clock;

  int fd_;
  std::string received_;
  std::size_t scanned_ = 0;
  std::string unsent_;
  std::size_t sent_ = 0;  ///< bytes of unsent_ that have been sent
  Clock::time_point unsent_since_{};
  bool broken_ = false;  ///< a line could not be sent
  Clock::time_point since_ = Clock::now();
};

}  // namespace softfeb::sink
