// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"

#include "board_fake.hpp"
#include "failure.hpp"
#include "value.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;

namespace {

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("registers of one word are one access") {
  BoardFake board(catalogue());
  board.words[0x00120000] = 0b01001;
  const auto readings = read_registers(board, catalogue().resolve("FwRudpServer[0].*Con*"));
  REQUIRE(readings.size() == 4);  // OpenConn, CloseConn, ConnectionActive, ConnState
  CHECK(low64(readings[0].bits) == 1);
  CHECK(board.log == Log{"R 00120000 4", "R 00120040 4", "R 0012006c 4"});
}

TEST_CASE("a refused register does not hide the others") {
  BoardFake board(catalogue());
  board.decode_error_at = 8;
  const auto readings = read_registers(board, catalogue().resolve("AxiVersion.*Pad*"));
  CHECK(readings.at(0).error.empty());
  CHECK_FALSE(read_registers(board, {catalogue().one("UpTimeCnt")}).at(0).error.empty());
}

TEST_CASE("a write preserves neighbouring bits") {
  BoardFake board(catalogue());
  board.words[0x00120000] = 0b01001;
  write_number(board, catalogue(), catalogue().one("FwRudpServer[0].InjectFault"), 1);
  CHECK(board.words[0x00120000] == 0b11001);
  CHECK(board.log == Log{"R 00120000 4", "W 00120000 4", "R 00120000 4"});
}

TEST_CASE("a register that fills its word is not read first") {
  BoardFake board(catalogue());
  write_number(board, catalogue(), catalogue().one("RoceDispatcher.RemAddr"), 0x1122334455667788);
  CHECK(board.log == Log{"W 80020f18 8", "R 80020f18 8"});
  CHECK(board.words[0x80020f1c] == 0x11223344);
}

TEST_CASE("unreadable registers are not verified") {
  BoardFake board(catalogue());
  write_number(board, catalogue(), catalogue().one("RoceChecker.ResetCounters"), 1);
  write_register(board, catalogue(), catalogue().one("ScratchPad"), bits_of(1, 32), {.verify = false});
  write_register(board, catalogue(), catalogue().one("ScratchPad"), bits_of(2, 32), {.posted = true});
  CHECK(board.log == Log{"W 80030f08 4", "W 00000004 4", "P 00000004 4"});
}

TEST_CASE("a value that does not persist is reported") {
  BoardFake board(catalogue());
  board.stuck_at = 4;
  CHECK_THROWS_WITH(write_number(board, catalogue(), catalogue().one("ScratchPad"), 1000),
                    Catch::Contains("ScratchPad: wrote 1000 (0x3e8), reads back 0"));
  CHECK_THROWS_AS(write_words(board, catalogue(), 0, {1, 2}), Refusal);
}

TEST_CASE("words at an address") {
  BoardFake board(catalogue());
  write_words(board, catalogue(), 0x80010000, {1, 2, 3});
  CHECK(board.words[0x80010008] == 3);
  // The value that is read back may differ in read-only bits.
  board.words[0x00150f00] = 2;
  write_words(board, catalogue(), 0x00150f00, {0});
  CHECK(board.log.back() == "R 00150f00 4");
}
