// SPDX-License-Identifier: BSD-3-Clause
#include "peers/tcp_link.hpp"

#include <vector>

namespace softfeb::peers {

namespace {

/// Returns the fault to report for a TCP error. `heard` is true if the peer has sent data. A connection that
/// closes before any data is not a protocol error: a forwarded port without a server accepts connections and
/// closes them.
PeerFault fault_of(TcpError::Kind kind, bool heard) {
  const bool wrong = (kind == TcpError::Kind::kClosed && heard) || kind == TcpError::Kind::kTooLong;
  return wrong ? PeerFault::kProtocol : PeerFault::kEnvironment;
}

}  // namespace

void TcpLink::fail(PeerFault fault, const std::string& what, bool nobody_there) const {
  throw PeerError(fault, to_string(url_) + ": " + what, nobody_there);
}

void TcpLink::fail(const TcpError& error, const char* waiting_for, const std::string& fix) const {
  fail(fault_of(error.kind(), heard_),
       std::string(error.what()) + " while waiting for " + waiting_for + "; " + fix,
       error.kind() == TcpError::Kind::kClosed && !heard_);
}

void TcpLink::connect(const std::string& fix) {
  try {
    stream_.emplace(url_.host, url_.port, timeouts_.connect);
  } catch (const TcpError& error) {
    fail(PeerFault::kEnvironment, std::string(error.what()) + "; " + fix,
         error.kind() == TcpError::Kind::kRefused);
  }
}

void TcpLink::write(ByteSpan data, const char* waiting_for, const std::string& fix) {
  try {
    stream_->write(data, timeouts_.step);
  } catch (const TcpError& error) {
    fail(error, waiting_for, fix);
  }
}

void TcpLink::write(std::string_view text, const char* waiting_for, const std::string& fix) {
  write(ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), waiting_for, fix);
}

void TcpLink::read(MutableByteSpan out, const char* waiting_for, const std::string& fix) {
  try {
    stream_->read(out, timeouts_.step);
    heard_ = true;
  } catch (const TcpError& error) {
    fail(error, waiting_for, fix);
  }
}

std::string TcpLink::read_line(std::size_t max_size, TcpStream::Duration timeout, const char* waiting_for,
                               const std::string& fix) {
  try {
    std::string line = stream_->read_line(max_size, timeout);
    heard_ = true;
    return line;
  } catch (const TcpError& error) {
    fail(error, waiting_for, fix);
  }
}

void TcpLink::part(ByteSpan last) {
  std::vector<std::uint8_t> answer(last.size());
  try {
    stream_->write(last, timeouts_.step);
    stream_->read(answer, timeouts_.step);
  } catch (const TcpError&) {
    // All results have been exchanged, so it does not matter if the peer has already closed the connection.
  }
  stream_.reset();
}

}  // namespace softfeb::peers
