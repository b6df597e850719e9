// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/http_session.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

namespace softfeb::telemetry {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

namespace {

/// Content security policy of every response: only our own scripts and styles, no embedding in frames.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr const char* kStreamHeader =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 1000\n\n";

constexpr std::chrono::seconds kLinger{1};

std::string text(beast::string_view v) { return {v.data(), v.size()}; }

/// Formats the status line and the fields, up to the empty line. Beast's own serializer would add six
/// seconds of compile time. Its main purpose is to send bodies in pieces, which is not needed here.
std::string format(const http::response_header<>& header) {
  std::string out = "HTTP/1.1 " + std::to_string(header.result_int()) + ' ' +
                    text(http::obsolete_reason(header.result())) + "\r\n";
  for (const auto& field : header) out += text(field.name_string()) + ": " + text(field.value()) + "\r\n";
  return out + "\r\n";
}

}  // namespace

HttpSession::HttpSession(std::shared_ptr<HttpServer::Impl> server, tcp::socket socket)
    : server_(std::move(server)), stream_(std::move(socket)), buffer_(server_->limits.header_bytes * 2) {
  server_->sessions.insert(this);
}

HttpSession::~HttpSession() {
  server_->left(*this);
  release();
  if (streaming_) --server_->streams;
}

void HttpSession::start(bool busy) {
  if (!busy) return read();
  respond(problem(503, "too many connections", "close some of the pages"));
}

void HttpSession::close() {
  beast::error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.close();
}

void HttpSession::read() {
  waiting_since_ = ++server_->last_wait;
  parser_.emplace();
  parser_->header_limit(server_->limits.header_bytes);
  parser_->body_limit(server_->limits.body_bytes);
  stream_.expires_after(server_->limits.request);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                     if (self->server_->site != nullptr) self->on_read(error);
                   });
}

void HttpSession::on_read(const beast::error_code& error) {
  waiting_since_ = 0;
  keep_ = false;
  head_ = false;
  if (error) return refuse(error);
  keep_ = parser_->get().keep_alive();
  handle(take_request());
}

void HttpSession::refuse(const beast::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return respond(problem(431, "the header is too long", "send fewer or shorter fields"));
  if (error == http::error::body_limit) return respond(problem(413, "the body is too long", "send less"));
  const bool gone = error == http::error::end_of_stream || error == beast::error::timeout ||
                    error.category() == boost::system::system_category();
  if (gone) return close();
  respond(problem(400, "invalid HTTP request: " + error.message(), "send HTTP/1.1"));
}

Request HttpSession::take_request() {
  auto& m = parser_->get();
  Request r;
  r.method = text(m.method_string());
  r.path = text(m.target());
  r.path.resize(std::min(r.path.size(), r.path.find('?')));
  r.host = text(m[http::field::host]);
  r.origin = text(m[http::field::origin]);
  r.fetch_site = text(m["Sec-Fetch-Site"]);
  r.content_type = text(m[http::field::content_type]);
  r.body = std::move(m.body());
  beast::error_code error;
  const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
  auto address = peer.address();
  if (!error && address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  }
  r.from_loopback = !error && address.is_loopback();
  return r;
}

void HttpSession::handle(Request request) {
  if (auto refused = check_request(request, server_->names)) return respond(std::move(*refused));
  head_ = request.method == "HEAD";
  if (head_) request.method = "GET";
  if (request.method == "GET" && !head_ && server_->site->is_stream(request.path)) return open_stream();
  server_->site->serve(request, [self = shared_from_this()](Response response) {
    if (self->server_->site != nullptr) self->respond(std::move(response));
  });
}

bool HttpSession::reserve(std::size_t bytes) {
  if (server_->unsent != 0 && server_->unsent + bytes > server_->limits.unsent) return false;
  server_->unsent += bytes;
  unsent_ += bytes;
  return true;
}

void HttpSession::release() {
  server_->unsent -= unsent_;
  unsent_ = 0;
}

void HttpSession::respond(Response response) {
  if (!reserve(response.body.size()))
    response = problem(503, "too many responses have not been read yet", "try again later");
  http::response_header<> header;
  header.version(11);
  header.result(response.status);
  header.set(http::field::content_type, response.type);
  header.set(http::field::cache_control, "no-store");
  header.set("Content-Security-Policy", kPolicy);
  header.set("X-Content-Type-Options", "nosniff");
  header.set("Referrer-Policy", "no-referrer");
  header.set("Cross-Origin-Resource-Policy", "same-origin");
  if (!response.allow.empty()) header.set(http::field::allow, response.allow);
  if (!keep_) header.set(http::field::connection, "close");
  header.set(http::field::content_length, std::to_string(response.body.size()));
  send(std::make_shared<const std::string>(format(header) + (head_ ? "" : response.body)),
       &HttpSession::on_response_sent);
}

void HttpSession::send(const std::shared_ptr<const std::string>& bytes, Sent sent) {
  stream_.expires_after(server_->limits.write);
  boost::asio::async_write(
      stream_, boost::asio::buffer(*bytes),
      [self = shared_from_this(), bytes, sent](const beast::error_code& error, std::size_t) {
        if (error || self->server_->site == nullptr) return self->close();
        (*self.*sent)();
      });
}

void HttpSession::on_response_sent() {
  release();
  if (keep_) return read();
  beast::error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kLinger);
  drain();
}

/// Reads the remaining bytes before closing. Closing a socket with unread bytes would send a TCP reset, and
/// the client might lose our response.
void HttpSession::drain() {
  stream_.async_read_some(boost::asio::buffer(ignored_),
                          [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                            if (error || self->server_->site == nullptr) return self->close();
                            self->drain();
                          });
}

void HttpSession::open_stream() {
  if (server_->streams >= server_->limits.streams) {
    keep_ = false;
    return respond(problem(503, "too many pages are open", "close some of them"));
  }
  const auto greeting = std::make_shared<const std::string>(kStreamHeader + server_->site->greeting());
  if (!reserve(greeting->size())) {
    keep_ = false;
    return respond(problem(503, "too many responses have not been read yet", "try again later"));
  }
  streaming_ = true;
  ++server_->streams;
  watch_stream();
  publish(greeting);
}

/// Closes the session when a read completes. A client of an event stream sends nothing, so a read completes
/// only when the client closes the connection or breaks this rule.
void HttpSession::watch_stream() {
  stream_.expires_never();
  stream_.async_read_some(boost::asio::buffer(ignored_),
                          [self = shared_from_this()](const beast::error_code&, std::size_t) {
                            self->close();
                            self->backlog_.clear();
                          });
}

void HttpSession::publish(const std::shared_ptr<const std::string>& event) {
  if (!streaming_ || !stream_.socket().is_open()) return;
  if (!backlog_.empty() && backlog_bytes_ + event->size() > server_->limits.stream_backlog) return;
  backlog_.push_back(event);
  backlog_bytes_ += event->size();
  if (backlog_.size() == 1) send(backlog_.front(), &HttpSession::on_event_sent);
}

void HttpSession::on_event_sent() {
  release();  // if the event was the greeting, it no longer counts as unsent
  stream_.expires_never();
  if (backlog_.empty()) return;
  backlog_bytes_ -= backlog_.front()->size();
  backlog_.pop_front();
  if (!backlog_.empty()) send(backlog_.front(), &HttpSession::on_event_sent);
}

}  // namespace softfeb::telemetry
