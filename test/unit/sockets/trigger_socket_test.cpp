// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/trigger_socket.hpp"

#include "../../support/udp_board.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sockets;

TEST_CASE("looking up the hosts sends an empty datagram to port 9, and no trigger", "[udp]") {
  using boost::asio::ip::udp;
  boost::asio::io_context io;
  const auto loopback = boost::asio::ip::address_v4::loopback();
  udp::socket board(io, udp::endpoint(loopback, 0)), discard(io, udp::v4());
  boost::system::error_code refused;
  discard.bind(udp::endpoint(loopback, 9), refused);
  TriggerSocket socket({test::loopback(0).ip}, board.local_endpoint().port());
  socket.resolve();
  CHECK(board.available() == 0);
  CHECK(socket.sent() == 0);
  CHECK(socket.failed() == 0);
  if (refused) return;  // only root may open port 9
  std::vector<std::uint8_t> bytes(100, 9);
  udp::endpoint sender;
  CHECK(discard.receive_from(boost::asio::buffer(bytes), sender) == 0);
}

TEST_CASE("the trigger socket returns datagrams of every length in order", "[udp]") {
  using boost::asio::ip::udp;
  boost::asio::io_context io;
  udp::socket board(io, udp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  TriggerSocket socket({test::loopback(0).ip}, board.local_endpoint().port());
  CHECK_FALSE(socket.receive());

  std::array<std::uint8_t, TriggerSocket::kDatagram> message{};
  message.fill(7);
  socket.send(message.data());
  CHECK(socket.sent() == 1);
  std::vector<std::uint8_t> bytes(100, 9);
  udp::endpoint sender;
  CHECK(board.receive_from(boost::asio::buffer(bytes), sender) == message.size());
  CHECK(std::equal(message.begin(), message.end(), bytes.begin()));

  constexpr std::size_t kMost = TriggerSocket::kDatagram + 1;
  const std::size_t lengths[] = {0, 31, 32, 33, 90, 32};
  for (const std::size_t n : lengths) board.send_to(boost::asio::buffer(bytes, n), sender);
  for (const std::size_t n : lengths) {
    socket.wait(kSecond);
    const auto received = socket.receive();
    REQUIRE(received);
    CHECK(std::equal(received->begin(), received->end(), bytes.begin(),
                     bytes.begin() + static_cast<std::ptrdiff_t>(std::min(n, kMost))));
  }
  CHECK_FALSE(socket.receive());
}
