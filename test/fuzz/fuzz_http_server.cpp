// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: sends arbitrary bytes to the live page's HTTP server over loopback, on several connections that
// open, close and stop reading at any time. The number of sessions and the memory for events must be bounded,
// and the server must answer a valid request afterwards. The input consists of records: action, length,
// bytes.
#include "input.hpp"
#include "telemetry/http_server.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace softfeb;
using namespace softfeb::telemetry;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr HttpLimits kLimits{.connections = 4,
                             .requests_per_second = 1'000'000,
                             .streams = 2,
                             .header_bytes = 1024,
                             .body_bytes = 1024,
                             .stream_backlog = 4096};

struct FuzzSite final : Site {
  void serve(const Request& r, const Respond& respond) override {
    require(r.body.size() <= kLimits.body_bytes && r.path.size() <= kLimits.header_bytes);
    if (r.path == "/later")
      kept = respond;
    else
      respond({200, "text/plain", "hello", {}});
  }
  bool is_stream(const std::string& path) const override { return path == "/events"; }
  std::string greeting() override { return format_event("setup", "{}"); }

  Respond kept;
};

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // With this option, closing leaves no socket in TIME_WAIT. Otherwise, such sockets would soon use up the
    // ports.
    const linger reset{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(ByteSpan bytes) { static_cast<void>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL)); }
  std::string receive() {
    std::array<char, 8192> buffer;
    const ssize_t n = recv(fd_, buffer.data(), buffer.size(), 0);
    return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : std::string();
  }
  void finish() { shutdown(fd_, SHUT_WR); }

 private:
  int fd_;
};

class World {
 public:
  World() : server_(io_, *roce::IpAddress::parse("127.0.0.1"), 0, site_, {}, kLimits) {}

  void act(std::uint8_t what, ByteSpan bytes) {
    auto& client = clients_[what / 8 % clients_.size()];
    if (!client) client = std::make_unique<Client>(server_.port());
    switch (what % 8) {
      case 0:
        client.reset();
        break;
      case 1:
        client->finish();
        break;
      case 2:
        client->receive();
        break;
      case 3:
        server_.publish(format_event("sample", std::string(1000, 'x')));
        break;
      case 4:
        if (site_.kept) site_.kept({200, "text/plain", "late", {}});
        break;
      default:
        client->send(bytes);
    }
    poll();
  }
  void poll() {
    io_.restart();
    io_.poll();
    // A refused session also counts, until its client has closed the connection.
    require(server_.connections() <= kLimits.connections + clients_.size());
    require(server_.streams() <= kLimits.streams);
  }
  void check_alive() {
    for (auto& client : clients_) client.reset();
    for (int i = 0; i < 100 && server_.connections() != 0; ++i) poll();
    Client client(server_.port());
    static constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send({reinterpret_cast<const std::uint8_t*>(kGet.data()), kGet.size()});
    std::string answer;
    for (int i = 0; i < 1000 && answer.empty(); ++i) {
      poll();
      answer = client.receive();
    }
    require(answer.starts_with("HTTP/1.1 200"));
  }

 private:
  boost::asio::io_context io_{1};
  FuzzSite site_;
  HttpServer server_;
  std::array<std::unique_ptr<Client>, 8> clients_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world;
  for (Input in(data, size); !in.empty();) {
    const std::uint8_t what = in.byte();
    world.act(what, what % 8 > 4 ? in.bytes(in.size(2048)) : ByteSpan{});
  }
  world.check_alive();
  return 0;
}
