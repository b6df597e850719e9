// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/ip.hpp"
#include "sockets/udp_socket.hpp"
#include "telemetry/http.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace softfeb::telemetry {

/// Limits on the resources that clients can use.
struct HttpLimits {
  /// Maximum number of connections that are served. A further connection replaces an existing connection. The
  /// replaced connection belongs to the client with the most connections. Among the connections of this
  /// client, it is the connection that has made no progress for the longest time. Event streams are never
  /// replaced; if all connections are event streams, the further connection gets 503.
  std::size_t connections = 64;
  /// `requests_per_second` is the maximum mean rate of requests; `request_burst` is the number of requests
  /// that are answered at once after a pause. Further requests wait, because the thread that answers them may
  /// share its CPU with a worker.
  unsigned requests_per_second = 200;
  unsigned request_burst = 100;
  std::size_t streams = 32;               ///< event streams among these connections; further streams get 503
  std::uint32_t header_bytes = 8 * 1024;  ///< larger headers get 431
  std::uint32_t body_bytes = 16 * 1024;   ///< larger bodies get 413
  /// Maximum size of the events queued for a slow client, in bytes. The client gets no further events until
  /// there is room.
  std::size_t stream_backlog = 512 * 1024;
  /// Maximum total size, in bytes, of the responses that clients have not received yet. A request whose
  /// response would exceed this limit gets 503. If no other response is unsent, a response may be larger than
  /// this limit.
  std::size_t unsent = std::size_t{64} << 20;
  /// Time limit for receiving a whole request, including the idle time before its first byte.
  std::chrono::milliseconds request{10'000};
  /// Time limit for sending a response, or for one write of a stream.
  std::chrono::milliseconds write{20'000};
};

/// HTTP/1.1 server for a page, its statistics and event streams, on an io_context that the caller runs.
/// Single-threaded: everything happens on the thread that runs the io_context.
class HttpServer {
 public:
  using Clock = std::function<Time()>;

  /// Port 0 selects any free port. `names` are the host names that are accepted in addition to localhost (see
  /// check_request()). `clock` is the clock of the rate limit. Throws sockets::SocketError.
  HttpServer(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port, Site& site,
             std::vector<std::string> names, const HttpLimits& limits = {},
             Clock clock = sockets::steady_time);
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
