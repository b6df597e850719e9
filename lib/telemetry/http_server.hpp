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

/// What clients can make the server hold.
struct HttpLimits {
  std::size_t connections = 64;           ///< beyond: 503 and closed
  std::size_t streams = 32;               ///< of them; beyond: 503
  std::uint32_t header_bytes = 8 * 1024;  ///< beyond: 431
  std::uint32_t body_bytes = 16 * 1024;   ///< beyond: 413
  std::size_t stream_backlog =
      512 * 1024;  ///< of a client that reads too slowly: events beyond it are left out
  std::chrono::milliseconds request{10'000};  ///< for a whole request, idle connections included
  std::chrono::milliseconds write{20'000};    ///< for a response, or one write of a stream
};

/// An HTTP/1.1 server for a page, figures, and streams of events, on an io_context that somebody else runs.
/// Everything happens on the thread that runs it.
class HttpServer {
 public:
  /// Port 0: any that is free. `names`: names of the host besides localhost (see check_request). Throws
  /// control::SocketError.
  HttpServer(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port, Site& site,
             std::vector<std::string> names, const HttpLimits& limits = {});
  /// Closes all connections; the io_context may still have handlers to run, or be destroyed without.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// "http://127.0.0.1:8080/"
  std::string url() const;
  /// To every stream. `event` as format_event() makes it.
  void publish(const std::string& event);
  /// Clients that follow the events.
  std::size_t streams() const;
  std::size_t connections() const;

  class Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace softfeb::telemetry
