// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace softfeb::peers {

class TcpError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { kResolve, kRefused, kUnreachable, kTimeout, kClosed, kTooLong };
  TcpError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// TCP client. Each operation blocks for at most its timeout, then throws TcpError. A timeout closes the
/// connection. (Host name lookups are limited only by the system's resolver.)
class TcpStream {
 public:
  using Duration = std::chrono::milliseconds;

  /// Connects to the host. Tries all addresses of the host in turn.
  TcpStream(const std::string& host, std::uint16_t port, Duration timeout);
  ~TcpStream();
  TcpStream(TcpStream&&) noexcept;
  TcpStream& operator=(TcpStream&&) noexcept;

  void write(ByteSpan data, Duration timeout);
  /// Fills `out` completely.
  void read(MutableByteSpan out, Duration timeout);
  /// Returns the text before the next newline. Throws kTooLong if there is no newline within `max_size`
  /// bytes.
  std::string read_line(std::size_t max_size, Duration timeout);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb::peers
