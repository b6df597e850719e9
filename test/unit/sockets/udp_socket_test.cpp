// SPDX-License-Identifier: BSD-3-Clause
#include "../../support/udp_board.hpp"
#include "sockets/register_client.hpp"
#include "sockets/stream_receiver.hpp"

#include <iostream>
#include <memory>

#include <boost/asio/ip/udp.hpp>
#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sockets;
using namespace softfeb::srp;
using test::loopback;
using test::PatternCheck;
using test::UdpBoard;

namespace {

void expect_error(const roce::IpAddress& ip, std::uint16_t port, const std::vector<std::string>& words) {
  boost::asio::io_context io;
  try {
    UdpServerSocket socket(io, ip, port, {});
    FAIL("no error");
  } catch (const SocketError& error) {
    INFO(error.what());
    for (const std::string& word : words) CHECK_THAT(error.what(), Catch::Contains(word));
    CHECK(error.what() == error.reason() + "; " + error.fix());
  }
}

}  // namespace

TEST_CASE("unavailable addresses", "[udp]") {
  boost::asio::io_context io;
  UdpServerSocket first(io, loopback(0).ip, 0, {});
  const std::string port = std::to_string(first.port());
  expect_error(
      loopback(0).ip, first.port(),
      {"cannot listen on UDP 127.0.0.1:" + port, "in use", "ss -lunp 'sport = :" + port, "another port"});
  expect_error(*roce::IpAddress::parse("203.0.113.1"), 8192,
               {"203.0.113.1:8192", "ip address add 203.0.113.1"});
}

TEST_CASE("boards at many addresses share a port", "[udp]") {
  std::vector<std::unique_ptr<UdpBoard>> boards;
  const roce::IpAddress first = *roce::IpAddress::parse("127.0.7.1");
  boards.push_back(std::make_unique<UdpBoard>(0, first));
  const std::uint16_t port = boards[0]->registers().port;
  for (std::uint32_t i = 1; i < 8; ++i) boards.push_back(std::make_unique<UdpBoard>(port, first.plus(i)));
  for (std::uint32_t i = 0; i < 8; ++i) {
    RegisterClient client({.board = {first.plus(i), port}});
    client.write32(0x10, i + 1);
  }
  for (std::uint32_t i = 0; i < 8; ++i)
    boards[i]->on_thread([&] { CHECK(load_le32(&boards[i]->bus.memory[0x10]) == i + 1); });
}

TEST_CASE("boards listen on IPv6 too", "[udp]") {
  std::unique_ptr<UdpBoard> board;
  const roce::IpAddress v6 = *roce::IpAddress::parse("::1");
  try {
    board = std::make_unique<UdpBoard>(0, v6);
  } catch (const SocketError&) {
    return;  // this machine has no IPv6
  }
  RegisterClient client({.board = {v6, board->registers().port}});
  client.write32(0, 3);
  CHECK(client.read32(0) == 3);
}

TEST_CASE("datagrams of every length among those of a client", "[udp]") {
  UdpBoard board;
  RegisterClient client({.board = board.registers()});
  client.connect();
  boost::asio::io_context io;
  namespace ip = boost::asio::ip;
  ip::udp::socket stranger(io, ip::udp::v4());
  const ip::udp::endpoint to(ip::address_v4::loopback(), board.registers().port);
  std::vector<std::uint8_t> bytes(60'000, 0x40);
  unsigned too_long = 0;
  for (const std::size_t n : {0, 1, 7, 8, 9, 24, 1024, 9'216, 9'217, 20'000, 60'000}) {
    stranger.send_to(boost::asio::buffer(bytes.data(), n), to);
    if (n > 9'216) ++too_long;
    client.write32(0, static_cast<std::uint32_t>(n));
    CHECK(client.read32(0) == n);
  }
  CHECK(board.registers_counters().rx_too_long == too_long);
  CHECK(client.link_status().reconnects == 1);
}

TEST_CASE("a stream over UDP is complete", "[udp]") {
  UdpBoard board;
  PatternCheck check;
  StreamReceiver receiver({.board = board.streams()},
                          [&](ByteSpan frame, const FrameTags&, Time) { check.take(frame); });
  receiver.connect();
  const Time begin = steady_time();
  board.on_thread([&] {
    board.source.frames_left = 400;
    board.stream.pump(steady_time());
  });
  REQUIRE(receiver.receive(60 * kSecond, 400));
  const double seconds = to_seconds(steady_time() - begin);
  const StreamStats figures = receiver.figures();
  CHECK(check.frames == 400);
  CHECK(check.wrong == 0);
  CHECK(figures.bytes == 400 * 128 * 1024);
  CHECK(figures.dropped == 0);
  CHECK(figures.connections == 1);
  std::cout << "stream of " << figures.segments
            << " segments: " << static_cast<double>(figures.bytes) * 8e-9 / seconds << " Gb/s\n";

  receiver.send(std::vector<std::uint8_t>(10'000));
  receiver.close();
}

TEST_CASE("a stream without a sender", "[udp]") {
  UdpPeer nobody;
  {
    UdpBoard board;
    nobody = board.streams();
  }
  StreamReceiver receiver({.board = nobody, .connect_timeout = 300 * kMillisecond}, {});
  CHECK_THROWS_WITH(receiver.connect(), Catch::Contains("connection refused"));
}
