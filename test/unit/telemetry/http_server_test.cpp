// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/http_server.hpp"

#include "sockets/udp_socket.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace softfeb;
using namespace softfeb::telemetry;

namespace {

struct TestSite final : Site {
  std::map<std::string, int> asked;
  Respond kept;
  void serve(const Request& r, const Respond& respond) override {
    ++asked[r.method + ' ' + r.path];
    if (r.path == "/later") {
      kept = respond;
    } else if (r.path == "/large") {
      respond({200, "text/plain", std::string(50'000'000, 'x'), {}});
    } else {
      respond({200, "text/plain", r.method == "POST" ? r.body : "hello", {}});
    }
  }
  bool is_stream(const std::string& path) const override { return path == "/events"; }
  std::string greeting() override { return format_event("setup", "{}"); }
};

/// A client's socket. The server runs on the test's thread.
class Client {
 public:
  /// `own` is the client's address.
  Client(boost::asio::io_context& io, std::uint16_t port, const char* own = "127.0.0.1")
      : io_(io), fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    REQUIRE(inet_pton(AF_INET, own, &from.sin_addr) == 1);
    REQUIRE(bind(fd_, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& text) {
    REQUIRE(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  /// Reads until `enough` returns true, or until the server closes the connection.
  std::string receive(const std::function<bool(const std::string&)>& enough) {
    std::string all;
    char part[4096];
    for (int i = 0; i < 10'000 && !enough(all); ++i) {
      io_.restart();
      io_.run_one_for(std::chrono::milliseconds(1));
      const ssize_t n = recv(fd_, part, sizeof part, MSG_DONTWAIT);
      if (n == 0) break;
      if (n > 0) all.append(part, static_cast<std::size_t>(n));
    }
    return all;
  }
  std::string ask(const std::string& text) {
    send(text);
    return receive([](const std::string& all) {
      const std::size_t end = all.find("\r\n\r\n");
      const std::size_t at = all.find("Content-Length: ");
      return end != std::string::npos && at < end && all.size() >= end + 4 + std::stoul(all.substr(at + 16));
    });
  }

 private:
  boost::asio::io_context& io_;
  int fd_;
};

constexpr const char* kHost = "Host: 127.0.0.1\r\n";

struct Fixture {
  boost::asio::io_context io{1};
  TestSite site;
  HttpServer server;
  explicit Fixture(const HttpLimits& limits = {})
      : server(io, *roce::IpAddress::parse("127.0.0.1"), 0, site, {}, limits) {}
  std::string ask(const std::string& text) { return Client(io, server.port()).ask(text); }
  /// Waits until the server has no connections. Returns false on timeout.
  bool left() {
    for (int i = 0; i < 1000 && server.connections() != 0; ++i) {
      io.restart();
      io.run_one_for(std::chrono::milliseconds(1));
    }
    return server.connections() == 0;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("pages are served, several over one connection") {
  Fixture f;
  Client c(f.io, f.server.port());
  for (int i = 0; i < 3; ++i) {
    const std::string answer = c.ask(std::string("GET /page?x=1 HTTP/1.1\r\n") + kHost + "\r\n");
    CHECK(answer.rfind("HTTP/1.1 200 OK\r\n", 0) == 0);
    CHECK(has(answer, "\r\n\r\nhello"));
    CHECK(has(answer, "Content-Security-Policy: default-src 'none'"));
    CHECK(has(answer, "X-Content-Type-Options: nosniff"));
  }
  CHECK(f.site.asked["GET /page"] == 3);
  const std::string head =
      Client(f.io, f.server.port()).ask(std::string("HEAD / HTTP/1.0\r\n") + kHost + "\r\n");
  CHECK(has(head, "Content-Length: 5"));
  CHECK_FALSE(has(head, "hello"));
}

TEST_CASE("refused requests never reach the site") {
  Fixture f;
  CHECK(has(f.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), " 421 "));
  CHECK(has(f.ask("GET / HTTP/1.1\r\n\r\n"), " 421 "));
  CHECK(has(f.ask(std::string("DELETE / HTTP/1.1\r\n") + kHost + "\r\n"), " 405 "));
  CHECK(has(f.ask(std::string("POST /a HTTP/1.1\r\n") + kHost + "Content-Length: 2\r\n\r\n{}"), " 415 "));
  CHECK(has(
      f.ask(std::string("POST /a HTTP/1.1\r\n") + kHost +
            "Origin: http://evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
      " 403 "));
  CHECK(has(f.ask("nonsense\r\n\r\n"), " 400 "));
  CHECK(f.site.asked.empty());
  CHECK(has(f.ask(std::string("POST /a HTTP/1.1\r\n") + kHost +
                  "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
            "\r\n\r\n{}"));
}

TEST_CASE("long headers and bodies are refused") {
  Fixture f;
  CHECK(has(f.ask(std::string("GET / HTTP/1.1\r\n") + kHost + "X: " + std::string(9'000, 'x') + "\r\n\r\n"),
            " 431 "));
  CHECK(has(f.ask(std::string("POST / HTTP/1.1\r\n") + kHost +
                  "Content-Type: application/json\r\nContent-Length: 99999\r\n\r\n{"),
            " 413 "));
  CHECK(f.site.asked.empty());
}

TEST_CASE("streams get the greeting and every event until they close") {
  Fixture f;
  {
    Client c(f.io, f.server.port());
    c.send(std::string("GET /events HTTP/1.1\r\n") + kHost + "\r\n");
    const std::string first = c.receive([](const std::string& all) { return has(all, "setup"); });
    CHECK(has(first, "Content-Type: text/event-stream"));
    CHECK(f.server.streams() == 1);
    f.server.publish(format_event("sample", "1"));
    f.server.publish(format_event("sample", "2"));
    const std::string events = c.receive([](const std::string& all) { return has(all, "2"); });
    CHECK(events == "event: sample\ndata: 1\n\nevent: sample\ndata: 2\n\n");
  }
  CHECK(f.left());
  CHECK(f.server.streams() == 0);
}

TEST_CASE("a stream that is not read costs at most its backlog") {
  Fixture f;
  Client c(f.io, f.server.port());
  c.send(std::string("GET /events HTTP/1.1\r\n") + kHost + "\r\n");
  c.receive([](const std::string& all) { return has(all, "setup"); });
  const std::string event = format_event("sample", std::string(100'000, 'x'));
  for (int i = 0; i < 1000; ++i) {
    f.server.publish(event);
    f.io.restart();
    f.io.poll();
  }
  CHECK(f.server.streams() == 1);
  std::size_t bytes = 0;
  for (std::string part = "x"; !part.empty();) {
    part = c.receive([n = 0](const std::string& all) mutable { return !all.empty() || ++n > 50; });
    bytes += part.size();
  }
  CHECK(bytes > 0);
  CHECK(bytes < 50'000'000);  // less than the 100 MB offered, because socket buffers are bounded
}

TEST_CASE("connections and streams beyond the limits are refused with a message") {
  HttpLimits limits;
  limits.connections = 1;
  limits.streams = 1;
  Fixture f(limits);
  Client stream(f.io, f.server.port());
  stream.send(std::string("GET /events HTTP/1.1\r\n") + kHost + "\r\n");
  stream.receive([](const std::string& all) { return has(all, "setup"); });
  const auto refused = [](const std::string& all) { return has(all, "fix"); };
  Client second(f.io, f.server.port());
  CHECK(has(second.receive(refused), " 503 "));
  CHECK(has(Client(f.io, f.server.port()).receive(refused), " 503 "));
  // The two connections are the stream and the second refused connection, which has replaced the first one.
  CHECK(f.server.connections() <= 2);
}

TEST_CASE("a second stream beyond the limit is refused with a message") {
  HttpLimits limits;
  limits.streams = 1;
  Fixture f(limits);
  const std::string request = std::string("GET /events HTTP/1.1\r\n") + kHost + "\r\n";
  Client stream(f.io, f.server.port());
  stream.send(request);
  stream.receive([](const std::string& all) { return has(all, "setup"); });
  CHECK(has(Client(f.io, f.server.port()).ask(request), " 503 "));
}

TEST_CASE("clients that only occupy connections do not keep others out") {
  HttpLimits limits;
  limits.connections = 3;
  Fixture f(limits);
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 10; ++i) {
    silent.push_back(std::make_unique<Client>(f.io, f.server.port()));
    silent.back()->send("GET / HTTP/1.1\r\nX:");
    silent.back()->receive([n = 0](const std::string&) mutable { return ++n > 5; });
  }
  CHECK(f.server.connections() <= 3);
  CHECK(has(f.ask(std::string("GET / HTTP/1.1\r\n") + kHost + "\r\n"), "hello"));
  // The server has closed the connections that had waited for the longest time. The newest one is still
  // served.
  silent.back()->send(std::string(" y\r\n") + kHost + "\r\n");
  CHECK(has(silent.back()->receive([](const std::string& all) { return has(all, "hello"); }), "hello"));
  CHECK(silent.front()->receive([](const std::string&) { return false; }).empty());
}

TEST_CASE("a client with many connections loses them to others") {
  HttpLimits limits;
  limits.connections = 4;
  Fixture f(limits);
  Client honest(f.io, f.server.port(), "127.0.0.2");
  honest.send("GET / HTTP/1.1\r\nX:");
  std::vector<std::unique_ptr<Client>> greedy;
  for (int i = 0; i < 20; ++i) {
    greedy.push_back(std::make_unique<Client>(f.io, f.server.port()));
    greedy.back()->send("GET /later HTTP/1.1\r\n" + std::string(kHost) + "\r\n");  // gets no answer
    greedy.back()->receive([n = 0](const std::string&) mutable { return ++n > 5; });
  }
  CHECK(f.server.connections() <= 4);
  honest.send(std::string(" y\r\n") + kHost + "\r\n");
  CHECK(has(honest.receive([](const std::string& all) { return has(all, "hello"); }), "hello"));
}

TEST_CASE("requests beyond the rate wait for their turn") {
  HttpLimits limits;
  limits.requests_per_second = 10;
  limits.request_burst = 2;
  Time now = kSecond;
  boost::asio::io_context io{1};
  TestSite site;
  HttpServer server(io, *roce::IpAddress::parse("127.0.0.1"), 0, site, {}, limits, [&now] { return now; });
  std::string requests;
  for (int i = 0; i < 4; ++i) requests += std::string("GET / HTTP/1.1\r\n") + kHost + "\r\n";
  Client c(io, server.port());
  c.send(requests);
  // The server's clock stands still during this call, so the third request is not answered.
  c.receive([n = 0](const std::string&) mutable { return ++n > 30; });
  CHECK(site.asked["GET /"] == 2);
  now += 100 * kMillisecond;
  c.receive([&](const std::string& all) { return has(all, "hello"); });
  CHECK(site.asked["GET /"] == 3);
  now += kSecond;
  c.receive([&](const std::string& all) { return has(all, "hello"); });
  CHECK(site.asked["GET /"] == 4);
}

TEST_CASE("responses that are not read cost at most their limit") {
  HttpLimits limits;
  limits.unsent = 1'000'000;
  Fixture f(limits);
  const auto is_complete = [](const std::string& all) { return has(all, "\r\n\r\n"); };
  std::vector<std::unique_ptr<Client>> slow;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<Client>(f.io, f.server.port()));
    slow.back()->send(std::string("GET /large HTTP/1.1\r\n") + kHost + "\r\n");
    refused += has(slow.back()->receive(is_complete), " 503 ") ? 1 : 0;
  }
  CHECK(refused == 19);  // the first response may exceed the limit, because no other response was waiting
  slow.clear();
  CHECK(f.left());
  CHECK(has(f.ask(std::string("GET / HTTP/1.1\r\n") + kHost + "\r\n"), "hello"));
}

TEST_CASE("an incomplete request is given up") {
  HttpLimits limits;
  limits.request = std::chrono::milliseconds(20);
  Fixture f(limits);
  Client c(f.io, f.server.port());
  c.send("GET / HTTP/1.1\r\n");
  CHECK(c.receive([](const std::string&) { return false; }).empty());
  CHECK(f.left());
}

TEST_CASE("responses may come later, or never") {
  auto f = std::make_unique<Fixture>();
  Client c(f->io, f->server.port());
  c.send(std::string("GET /later HTTP/1.1\r\n") + kHost + "\r\n");
  c.receive([&](const std::string&) { return f->site.kept != nullptr; });
  SECTION("later") {
    f->site.kept({200, "text/plain", "late", {}});
    CHECK(has(c.receive([](const std::string& all) { return has(all, "late"); }), "late"));
    f->site.kept = nullptr;
  }
  SECTION("after the server was destroyed") {
    boost::asio::io_context io{1};
    TestSite site;
    auto server = std::make_unique<HttpServer>(io, *roce::IpAddress::parse("127.0.0.1"), 0, site,
                                               std::vector<std::string>{});
    Client gone(io, server->port());
    gone.send(std::string("GET /later HTTP/1.1\r\n") + kHost + "\r\n");
    gone.receive([&](const std::string&) { return site.kept != nullptr; });
    server.reset();
    site.kept({200, "text/plain", "late", {}});
    site.kept = nullptr;
    CHECK(gone.receive([](const std::string&) { return false; }).empty());
    f->site.kept = nullptr;
  }
}

TEST_CASE("an address in use is an error with a fix") {
  Fixture f;
  TestSite site;
  CHECK_THROWS_AS(HttpServer(f.io, *roce::IpAddress::parse("127.0.0.1"), f.server.port(), site, {}),
                  sockets::SocketError);
}
