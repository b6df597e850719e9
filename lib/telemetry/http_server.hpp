// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "telemetry/http.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace softfeb::telemetry {

/// Limits on the resources that clients can use.
struct HttpLimits {
  /// Maximum number of connections that are served. A further connection replaces the one that has been
  /// silent, or has been sending its request, for the longest time. If the server is answering requests on
  /// all connections, the further connection gets 503.
  std::size_t connections = 64;
  /// Maximum number of connections to which that 503 is being sent; further ones are closed at once.
  std::size_t refusals = 32;
  std::size_t streams = 32;               ///< event streams among these connections; further ones get 503
  std::uint32_t header_bytes = 8 * 1024;  ///< larger headers get 431
  std::uint32_t body_bytes = 16 * 1024;   ///< larger bodies get 413
  /// Maximum size of the events queued for a slow client, in bytes. The client gets no further events until
  /// there is room.
  std::size_t stream_backlog = 512 * 1024;
  /// Maximum size in bytes of all responses together that clients have not received yet. Further requests get
  /// 503. A single response may be larger.
  std::size_t unsent = std::size_t{64} << 20;
  /// Time limit for receiving a whole request, including idle time.
  std::chrono::milliseconds request{10'000};
  /// Time limit for sending a response, or for one write of a stream.
  std::chrono::milliseconds write{20'000};
};

/// HTTP/1.1 server for a page, its statistics and event streams, on an io_context that the caller runs.
/// Single-threaded: everything happens on the thread that runs the io_context.
class HttpServer {
 public:
  /// Port 0 selects any free port. `names` contains the host names that are accepted in addition to localhost
  /// (see check_request()). Throws sockets::SocketError.
  HttpServer(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port, Site& site,
             std::vector<std::string> names, const HttpLimits& limits = {});
  /// Closes all connections. Handlers still pending in the io_context may run later or never.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// URL of the server, for example "http://127.0.0.1:8080/".
  std::string url() const;
  /// Sends an event to every stream. `event` is formatted by format_event().
  void publish(const std::string& event);
  /// Returns the number of clients that receive the events.
  std::size_t streams() const;
  std::size_t connections() const;

  class Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace softfeb::telemetry
