// SPDX-License-Identifier: BSD-3-Clause
#include "peers/tcp_stream.hpp"

#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace softfeb::peers {

namespace asio = boost::asio;
using boost::system::error_code;
using Kind = TcpError::Kind;

struct TcpStream::Impl {
  asio::io_context io;
  asio::ip::tcp::socket socket{io};
  std::string input;  ///< bytes received and not consumed yet

  /// Runs the most recently started operation until `result` is set or `timeout` has passed.
  error_code finish(std::optional<error_code>& result, Duration timeout) {
    io.restart();
    io.run_for(timeout);
    if (result) return *result;
    error_code ignored;
    // Abort the operation, and let its handler run while the objects it refers to exist.
    socket.close(ignored);
    io.run();
    return asio::error::timed_out;
  }

  /// Moves up to out.size() bytes that were received but not consumed to `out`.
  std::size_t take(MutableByteSpan out) {
    const std::size_t n = std::min(out.size(), input.size());
    std::copy_n(input.begin(), n, out.begin());
    input.erase(0, n);
    return n;
  }
};

namespace {

[[noreturn]] void fail(const error_code& error) {
  if (error == asio::error::timed_out) throw TcpError(Kind::kTimeout, "no response in time");
  if (error == asio::error::eof || error == asio::error::connection_reset ||
      error == asio::error::broken_pipe)
    throw TcpError(Kind::kClosed, "the peer closed the connection");
  if (error == asio::error::not_found) throw TcpError(Kind::kTooLong, "the peer sent an unterminated line");
  if (error == asio::error::connection_refused) throw TcpError(Kind::kRefused, "connection refused");
  throw TcpError(Kind::kUnreachable, error.message());
}

}  // namespace

TcpStream::TcpStream(const std::string& host, std::uint16_t port, Duration timeout)
    : impl_(std::make_unique<Impl>()) {
  asio::ip::tcp::resolver resolver(impl_->io);
  error_code error;
  const auto found =
      resolver.resolve(host, std::to_string(port), asio::ip::tcp::resolver::numeric_service, error);
  if (error) throw TcpError(Kind::kResolve, "'" + host + "' is not known: " + error.message());

  std::optional<error_code> result;
  asio::async_connect(impl_->socket, found, [&](const error_code& e, const auto&) { result = e; });
  if (const error_code e = impl_->finish(result, timeout)) fail(e);
  // Disable Nagle's algorithm, because the exchange consists of small requests and responses.
  impl_->socket.set_option(asio::ip::tcp::no_delay(true), error);
}

TcpStream::~TcpStream() = default;
TcpStream::TcpStream(TcpStream&&) noexcept = default;
TcpStream& TcpStream::operator=(TcpStream&&) noexcept = default;

void TcpStream::write(ByteSpan data, Duration timeout) {
  std::optional<error_code> result;
  asio::async_write(impl_->socket, asio::buffer(data.data(), data.size()),
                    [&](const error_code& e, std::size_t) { result = e; });
  if (const error_code e = impl_->finish(result, timeout)) fail(e);
}

void TcpStream::read(MutableByteSpan out, Duration timeout) {
  out = out.subspan(impl_->take(out));
  if (out.empty()) return;
  std::optional<error_code> result;
  asio::async_read(impl_->socket, asio::buffer(out.data(), out.size()),
                   [&](const error_code& e, std::size_t) { result = e; });
  if (const error_code e = impl_->finish(result, timeout)) fail(e);
}

std::string TcpStream::read_line(std::size_t max_size, Duration timeout) {
  std::optional<error_code> result;
  asio::async_read_until(impl_->socket, asio::dynamic_buffer(impl_->input, max_size), '\n',
                         [&](const error_code& e, std::size_t) { result = e; });
  if (const error_code e = impl_->finish(result, timeout)) fail(e);
  const std::size_t end = impl_->input.find('\n');
  std::string line = impl_->input.substr(0, end);
  impl_->input.erase(0, end + 1);
  return line;
}

}  // namespace softfeb::peers
