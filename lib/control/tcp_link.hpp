// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "control/peer.hpp"
#include "control/tcp_stream.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace softfeb::control {

/// What the peer sent, printable and of bounded length, for messages to people.
std::string quote(ByteSpan bytes);
std::string quote(std::string_view text);

/// A connection to the peer of a URL whose errors are PeerErrors: they name the peer, what was waited for,
/// and the fix the caller knows for that moment.
class TcpLink {
 public:
  TcpLink(const PeerUrl& url, const PeerTimeouts& timeouts) : url_(url), timeouts_(timeouts) {}

  void connect(const std::string& fix);
  void write(ByteSpan data, const char* waiting_for, const std::string& fix);
  void read(MutableByteSpan out, const char* waiting_for, const std::string& fix);
  std::string read_line(std::size_t max_size, TcpStream::Duration timeout, const char* waiting_for,
                        const std::string& fix);
  /// Says `last`, waits until the peer has said as much or has closed, and closes.
  void part(ByteSpan last);
  /// Throws.
  [[noreturn]] void fail(PeerFault fault, const std::string& what, bool nobody_there = false) const;

  const PeerTimeouts& timeouts() const { return timeouts_; }

 private:
  [[noreturn]] void fail(const TcpError& error, const char* waiting_for, const std::string& fix) const;

  PeerUrl url_;
  PeerTimeouts timeouts_;
  std::optional<TcpStream> stream_;
  bool heard_ = false;  ///< the peer has said something
};

}  // namespace softfeb::control
