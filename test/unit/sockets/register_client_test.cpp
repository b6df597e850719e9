// SPDX-License-Identifier: BSD-3-Clause
// Tests the register client over real sockets on loopback.
#include "sockets/register_client.hpp"

#include "../../support/udp_board.hpp"

#include <memory>
#include <numeric>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sockets;
using namespace softfeb::srp;
using test::loopback;
using test::UdpBoard;

namespace {

using Bytes = std::vector<std::uint8_t>;

RegisterClientOptions options(const UdpPeer& board) {
  return {.board = board, .connect_timeout = 10 * kSecond};
}

/// Checks that `access` throws RegisterError with this exit code and these words.
void expect_error(const std::function<void()>& access, int exit_code, const std::vector<std::string>& words) {
  try {
    access();
    FAIL("no error");
  } catch (const RegisterError& error) {
    INFO(error.what());
    CHECK(error.exit_code() == exit_code);
    for (const std::string& word : words) CHECK_THAT(error.what(), Catch::Contains(word));
  }
}

}  // namespace

TEST_CASE("registers are written and read over UDP", "[udp]") {
  UdpBoard board;
  RegisterClient client(options(board.registers()));
  CHECK_FALSE(client.connected());
  client.write32(0x100, 0xc6c2f69e);
  CHECK(client.connected());
  CHECK(client.read32(0x100) == 0xc6c2f69e);
  Bytes block(4096);
  std::iota(block.begin(), block.end(), 0);
  client.write(0x1000, block);
  CHECK(client.read(0x1000, 4096) == block);
  client.post(0x104, Bytes{1, 0, 0, 0});
  CHECK(client.read32(0x104) == 1);
  board.on_thread([&] { CHECK(board.srp.counters().posted == 1); });
}

TEST_CASE("260 pipelined reads over UDP", "[udp]") {
  UdpBoard board;
  RegisterClient client(options(board.registers()));
  std::vector<RegisterClient::Write> writes;
  std::vector<RegisterClient::Read> reads;
  for (std::uint32_t i = 0; i < 260; ++i) {
    writes.push_back({i * 128, Bytes(4 + i % 30 * 4, static_cast<std::uint8_t>(i))});
    reads.push_back({i * 128, writes.back().data.size()});
  }
  client.write_many(writes);
  const auto values = client.read_many(reads);
  REQUIRE(values.size() == 260);
  for (std::size_t i = 0; i < 260; ++i) CHECK(values[i] == writes[i].data);
  CHECK_FALSE(board.bus.overlapped);
}

TEST_CASE("refused accesses", "[udp]") {
  UdpBoard board;
  board.bus.refuses = 0x204;
  RegisterClient client(options(board.registers()));
  const std::string where = "127.0.0.1:" + std::to_string(board.registers().port);
  expect_error([&] { client.read32(0xf0000000); }, 1,
               {where, "read of 4 bytes at 0xf0000000", "DECERR", "register map"});
  expect_error([&] { client.write(0x200, Bytes(8)); }, 1, {"write of 8 bytes at 0x00000200", "SLVERR"});
  const std::vector<RegisterClient::Read> reads = {{0x100, 4}, {0x200, 8}, {0x300, 4}};
  const auto outcomes = client.try_read_many(reads);
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[0].ok());
  CHECK(outcomes[1].outcome == SrpOutcome::kStatus);
  CHECK(outcomes[1].status == 2);
  CHECK(outcomes[1].data.size() == 4);
  CHECK(outcomes[2].ok());
}

TEST_CASE("invalid accesses", "[udp]") {
  UdpBoard board;
  RegisterClient client(options(board.registers()));
  for (const auto& access : std::vector<std::function<void()>>{
           [&] { client.read(2, 4); }, [&] { client.read(0, 0); }, [&] { client.read(0, 6); },
           [&] { client.read(0, 4100); }, [&] { client.read(0xfffffffc, 8); },
           [&] { client.write(0, Bytes(3)); }, [&] { client.post(1, Bytes(4)); }})
    expect_error(access, 2, {"multiples of 4", "4096"});
  CHECK_FALSE(client.connected());
}

TEST_CASE("no board, or a board that does not allow us", "[udp]") {
  UdpPeer nobody;
  {
    UdpBoard board;
    nobody = board.registers();
  }
  RegisterClientOptions o = options(nobody);
  o.connect_timeout = 300 * kMillisecond;
  expect_error(
      [&] { RegisterClient(o).connect(); }, 3,
      {"connection refused", "check address and port", "`listen: none`", "only in band, at its own"});

  UdpBoard board(0, loopback(0).ip, [](const roce::IpAddress&) { return false; });
  o.board = board.registers();
  expect_error([&] { RegisterClient(o).connect(); }, 3, {"no response", "control.allow", "ping 127.0.0.1"});
  CHECK(board.registers_counters().rx_refused > 0);
  CHECK(board.registers_counters().rx_datagrams == 0);
  board.on_thread([&] { CHECK(board.registers_link.status().valid == 0); });
}

TEST_CASE("a register client survives the loss of its link between accesses", "[udp]") {
  auto board = std::make_unique<UdpBoard>();
  const UdpPeer address = board->registers();
  RegisterClient client(options(address));
  client.write32(0, 1);
  SECTION("the board closes it") {
    board->on_thread([&] { board->registers_link.close(steady_time()); });
  }
  SECTION("we close it") { client.close(); }
  SECTION("the board restarts silently") {
    board.reset();
    board = std::make_unique<UdpBoard>(address.port);
    client.wait(kSecond);
  }
  client.write32(0, 2);
  CHECK(client.read32(0) == 2);
  CHECK(client.link_status().reconnects == 2);
}

TEST_CASE("clients one after the other", "[udp]") {
  UdpBoard board;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    RegisterClient client(options(board.registers()));
    client.write32(4 * i, i);
    CHECK(client.read32(4 * i) == i);
  }
  board.on_thread([&] { CHECK(board.registers_link.status().reconnects == 5); });
}
