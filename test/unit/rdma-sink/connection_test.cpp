// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include <array>
#include <string>

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <unistd.h>

using namespace softfeb::sink;

namespace {

/// A connection and its client.
struct Ends {
  Ends() : Ends(sockets()) {}
  ~Ends() {
    if (client >= 0) close(client);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  static std::array<int, 2> sockets() {
    std::array<int, 2> ends{};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    return ends;
  }
  std::string read() const {
    std::string text(1 << 20, '\0');
    const ssize_t n = recv(client, text.data(), text.size(), MSG_DONTWAIT);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }
  void write(const std::string& text) const {
    REQUIRE(::send(client, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }

  Connection connection;
  int client;

 private:
  explicit Ends(const std::array<int, 2>& fds) : connection(fds[0]), client(fds[1]) {}
};

}  // namespace

TEST_CASE("lines arrive one by one, however they are cut") {
  Ends ends;
  ends.write("{\"a\": 1}\n{\"b\"");
  REQUIRE(ends.connection.receive());
  CHECK(ends.connection.next_line() == "{\"a\": 1}");
  CHECK_FALSE(ends.connection.next_line());
  ends.write(": 2}\n\n");
  REQUIRE(ends.connection.receive());
  CHECK(ends.connection.next_line() == "{\"b\": 2}");
  CHECK(ends.connection.next_line() == "");
  CHECK_FALSE(ends.connection.next_line());
}

TEST_CASE("a client that does not read delays nobody, and gets its answer later") {
  Ends ends;
  const nlohmann::json answer{{"data", std::string(20'000'000, 'x')}};
  REQUIRE(ends.connection.send(answer));
  CHECK(ends.connection.unsent());
  std::string got;
  for (int i = 0; i < 100'000 && ends.connection.unsent(); ++i) {
    got += ends.read();
    REQUIRE(ends.connection.flush());
  }
  for (std::string part = ends.read(); !part.empty(); part = ends.read()) got += part;
  CHECK(got == answer.dump() + '\n');
  CHECK_FALSE(ends.connection.unsent());
}

TEST_CASE("an answer to a client that has gone is given up") {
  Ends ends;
  REQUIRE(ends.connection.send({{"data", std::string(20'000'000, 'x')}}));
  close(ends.client);
  ends.client = -1;
  CHECK_FALSE(ends.connection.flush());
  ends.connection.flush_until(std::chrono::steady_clock::now() + std::chrono::hours(1));  // returns at once
}

TEST_CASE("a line that does not end is noticed") {
  Ends ends;
  const std::string part(60'000, '[');
  bool there = true;
  for (std::size_t sent = 0; there && sent < 2 * kMaxLine; sent += part.size()) {
    ends.write(part);
    there = ends.connection.receive();
    CHECK_FALSE(ends.connection.next_line());
  }
  CHECK_FALSE(there);
  CHECK(ends.connection.line_too_long());
}
