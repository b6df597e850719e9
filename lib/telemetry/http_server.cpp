// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/http_server.hpp"

#include "telemetry/http_session.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace softfeb::telemetry {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Delay before the next accept when no file descriptors are left.
constexpr std::chrono::milliseconds kPause{100};
/// Delay before the rate limit is checked again.
constexpr std::chrono::milliseconds kTurn{1};

tcp::endpoint endpoint_of(const roce::IpAddress& ip, std::uint16_t port) {
  if (ip.is_v4()) return {asio::ip::address_v4(ip.v4()), port};
  return {asio::ip::address_v6(ip.bytes), port};
}

std::string text_of(const tcp::endpoint& e) {
  const std::string ip = e.address().to_string();
  return (e.address().is_v6() ? '[' + ip + ']' : ip) + ':' + std::to_string(e.port());
}

}  // namespace

HttpServer::Impl::Impl(asio::io_context& io, Site& s, std::vector<std::string> n, const HttpLimits& l,
                       Clock c)
    : site(&s),
      names(std::move(n)),
      limits(l),
      clock(std::move(c)),
      acceptor(io),
      pause(io),
      rate(l.requests_per_second, l.request_burst),
      next_turn(io) {}

void HttpServer::Impl::open(const roce::IpAddress& address, std::uint16_t port) {
  const tcp::endpoint at = endpoint_of(address, port);
  boost::system::error_code error;
  acceptor.open(at.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw sockets::SocketError("the live page cannot be served at " + text_of(at) + ": " + error.message(),
                               "choose another address or port with --web or run.web");
  }
}

void HttpServer::Impl::accept() {
  acceptor.async_accept(
      [self = shared_from_this()](const boost::system::error_code& error, tcp::socket socket) {
        if (self->site == nullptr) return;
        if (error) {
          self->pause.expires_after(kPause);
          self->pause.async_wait([self](const boost::system::error_code& e) {
            if (!e && self->site != nullptr) self->accept();
          });
          return;
        }
        self->admit(std::move(socket));
        self->accept();
      });
}

/// Serves or refuses the client at `socket`. The number of open sockets must be bounded, because the run also
/// needs file descriptors, for example for its result.
void HttpServer::Impl::admit(tcp::socket socket) {
  if (sessions.size() >= limits.connections) evict();
  const bool busy = sessions.size() >= limits.connections;
  std::make_shared<HttpSession>(shared_from_this(), std::move(socket))->start(busy);
}

/// Makes room for a new connection by closing a connection of the client that has the most connections. A
/// client that only wants to occupy connections therefore cannot keep other clients out. A browser whose idle
/// connection is closed opens a new connection when necessary.
void HttpServer::Impl::evict() {
  std::map<asio::ip::address, std::size_t> connections;
  for (const HttpSession* s : sessions)
    if (!s->streaming()) ++connections[s->client()];
  const auto rank = [&](const HttpSession& s) {
    return std::pair(connections[s.client()], UINT64_MAX - s.last_step());
  };
  HttpSession* victim = nullptr;
  for (HttpSession* s : sessions) {
    if (!s->streaming() && (victim == nullptr || rank(*s) > rank(*victim))) victim = s;
  }
  if (victim == nullptr) return;
  victim->close();
  left(*victim);
  std::erase_if(waiting, [victim](const auto& s) { return s.get() == victim; });
}

void HttpServer::Impl::take_turn(std::shared_ptr<HttpSession> session) {
  waiting.push_back(std::move(session));
  if (waiting.size() == 1) serve_waiting();
}

void HttpServer::Impl::serve_waiting() {
  while (!waiting.empty() && rate.take(clock())) {
    const auto session = std::move(waiting.front());
    waiting.pop_front();
    session->proceed();
    if (site == nullptr) return;
  }
  if (waiting.empty()) return;
  next_turn.expires_after(kTurn);
  next_turn.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->site != nullptr) self->serve_waiting();
  });
}

void HttpServer::Impl::close() {
  site = nullptr;
  boost::system::error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
  next_turn.cancel();
  waiting.clear();
  const std::set<HttpSession*> all = sessions;
  for (HttpSession* s : all) s->close();
}

void HttpServer::Impl::left(HttpSession& session) { sessions.erase(&session); }

HttpServer::HttpServer(asio::io_context& io, const roce::IpAddress& address, std::uint16_t port, Site& site,
                       std::vector<std::string> names, const HttpLimits& limits, Clock clock)
    : impl_(std::make_shared<Impl>(io, site, std::move(names), limits, std::move(clock))) {
  impl_->open(address, port);
  impl_->accept();
}

HttpServer::~HttpServer() { impl_->close(); }

std::uint16_t HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string HttpServer::url() const { return "http://" + text_of(impl_->acceptor.local_endpoint()) + '/'; }

void HttpServer::publish(const std::string& event) {
  if (impl_->streams == 0) return;
  const auto shared = std::make_shared<const std::string>(event);
  const std::set<HttpSession*> all = impl_->sessions;
  for (HttpSession* s : all) s->publish(shared);
}

std::size_t HttpServer::streams() const { return impl_->streams; }

std::size_t HttpServer::connections() const { return impl_->sessions.size(); }

}  // namespace softfeb::telemetry
