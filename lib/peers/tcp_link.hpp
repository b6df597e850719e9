// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "peers/peer.hpp"
#include "peers/tcp_stream.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace softfeb::peers {

/// TCP connection to the peer that a URL specifies. Its functions throw a PeerError that names the peer and
/// the message that was awaited, and includes the hint that the caller passed to the function.
class TcpLink {
 public:
  TcpLink(const PeerUrl& url, const PeerTimeouts& timeouts) : url_(url), timeouts_(timeouts) {}

  void connect(const std::string& fix);
  void write(ByteSpan data, const char* waiting_for, const std::string& fix);
  void write(std::string_view text, const char* waiting_for, const std::string& fix);
  void read(MutableByteSpan out, const char* waiting_for, const std::string& fix);
  std::string read_line(std::size_t max_size, TcpStream::Duration timeout, const char* waiting_for,
                        const std::string& fix);
  /// Sends `last`, waits until the peer has sent the same number of bytes or has closed the connection, and
  /// then closes the connection.
  void part(ByteSpan last);
  /// Throws a PeerError whose message consists of the peer's name and `what`. `nobody_there` is the result
  /// that PeerError::nobody_there() will return.
  [[noreturn]] void fail(PeerFault fault, const std::string& what, bool nobody_there = false) const;

  /// Calls `decode` and adds the peer's name to the message of its PeerErrors.
  template <class Decode>
  auto named(Decode decode) const {
    try {
      return decode();
    } catch (const PeerError& error) {
      fail(error.fault(), error.what());
    }
  }

  const PeerTimeouts& timeouts() const { return timeouts_; }

 private:
  [[noreturn]] void fail(const TcpError& error, const char* waiting_for, const std::string& fix) const;

  PeerUrl url_;
  PeerTimeouts timeouts_;
  std::optional<TcpStream> stream_;
  bool heard_ = false;  ///< the peer has sent data
};

}  // namespace softfeb::peers
