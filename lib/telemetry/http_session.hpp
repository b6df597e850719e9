// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rate_limit.hpp"
#include "telemetry/http_server.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace softfeb::telemetry {

class HttpSession;

/// Implementation of HttpServer. Pending handlers hold a reference until they have run.
class HttpServer::Impl : public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(boost::asio::io_context& io, Site& site, std::vector<std::string> names, const HttpLimits& limits,
       Clock clock);

  void open(const roce::IpAddress& address, std::uint16_t port);
  void accept();
  void admit(boost::asio::ip::tcp::socket socket);
  void evict();
  /// Lets the session answer its request, now or when the rate limit permits it.
  void take_turn(std::shared_ptr<HttpSession> session);
  void serve_waiting();
  void close();
  void left(HttpSession& session);

  Site* site;  ///< null once the server is destroyed
  std::vector<std::string> names;
  HttpLimits limits;
  Clock clock;
  boost::asio::ip::tcp::acceptor acceptor;
  boost::asio::steady_timer pause;  ///< delays the next accept after a failed accept
  std::set<HttpSession*> sessions;
  std::size_t streams = 0;
  std::size_t unsent = 0;   ///< bytes of responses that clients have not taken yet
  std::uint64_t steps = 0;  ///< number of steps of all sessions so far; see HttpSession::last_step()
  srp::RateLimit rate;
  /// Sessions whose request waits because of the rate limit.
  std::deque<std::shared_ptr<HttpSession>> waiting;
  boost::asio::steady_timer next_turn;
};

/// One client connection. Owned by the handlers that wait for its socket.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(std::shared_ptr<HttpServer::Impl> server, boost::asio::ip::tcp::socket socket);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  /// Starts serving the client. If `busy` is true, there are too many connections, and the session responds
  /// with 503 and closes.
  void start(bool busy);
  /// Sends an event if the client has opened the event stream.
  void publish(const std::shared_ptr<const std::string>& event);
  void close();
  /// Answers the request that has been read.
  void proceed();
  /// Value of Impl::steps at the last step of this session: the session with the smallest value has made no
  /// progress for the longest time. A step means that the session has been accepted, has read a request, or
  /// has sent a response.
  std::uint64_t last_step() const { return last_step_; }
  bool streaming() const { return streaming_; }
  const boost::asio::ip::address& client() const { return client_; }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Sent = void (HttpSession::*)();

  void read();
  void on_read(const boost::beast::error_code& error);
  void refuse(const boost::beast::error_code& error);
  Request take_request();
  void handle(Request request);
  void respond(Response response);
  /// Sends `bytes`. Calls `sent` when all bytes have been written; closes the connection if that is not
  /// possible.
  void send(const std::shared_ptr<const std::string>& bytes, Sent sent);
  /// Counts a response of `bytes` bytes towards HttpLimits::unsent. Returns false if the response would
  /// exceed the limit.
  bool reserve(std::size_t bytes);
  void release();
  void on_response_sent();
  void drain();
  void open_stream();
  void watch_stream();
  void on_event_sent();

  std::shared_ptr<HttpServer::Impl> server_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  /// Events of a stream; the first event is being written.
  std::deque<std::shared_ptr<const std::string>> backlog_;
  std::size_t backlog_bytes_ = 0;
  std::array<char, 4096> ignored_{};
  std::size_t unsent_ = 0;  ///< this session's part of Impl::unsent
  std::uint64_t last_step_ = 0;
  boost::asio::ip::address client_;
  bool head_ = false;
  bool keep_ = false;
  bool streaming_ = false;
};

}  // namespace softfeb::telemetry
