// SPDX-License-Identifier: BSD-3-Clause
#include "load_file.hpp"

#include "board_fake.hpp"
#include "config/error.hpp"
#include "value.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;

namespace {

std::string file_complaint(const std::string& yaml) {
  try {
    read_values(catalogue(), yaml, "v.yaml");
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a file of register values is a tree, or names, or both") {
  const auto values = read_values(catalogue(),
                                  "Root:\n  Core:\n    AxiVersion:\n      ScratchPad: 0x10\n"
                                  "UdpEngine.ClientRemoteIp: 192.168.2.100\n"
                                  "App:\n  AppTx.ContinuousMode: True\n"
                                  "FwRudpServer[0].locMaxSegSize: 1024\n",
                                  "v.yaml");
  REQUIRE(values.size() == 4);
  CHECK(values[0].reg.path == "Root.Core.AxiVersion.ScratchPad");
  CHECK(values[0].bits == bits_of(0x10, 32));
  CHECK(values[0].where.line == 4);
  CHECK(values[1].bits == Bits{192, 168, 2, 100});
  CHECK(values[3].reg.bit_size == 16);
}

TEST_CASE("all problems of a file are reported with their lines") {
  const std::string text = file_complaint(
      "AxiVersion.ScratchPat: 1\n"
      "AxiVersion:\n  UpTimeCnt: 3\n  ScratchPad: 0x100000000\n"
      "RoceDispatcher.Len: 1\n"
      "App.RoceDispatcher.Len: 2\n"
      "AppTx.FrameSize:\n"
      "AppMem.DataBlock: [1, 2]\n"
      "AppTx.ContinuousMode: [1]\n");
  INFO(text);
  CHECK(text.find("v.yaml:1: AxiVersion.ScratchPat: no register") != std::string::npos);
  CHECK(text.find("v.yaml:3: AxiVersion.UpTimeCnt: Root.Core.AxiVersion.UpTimeCnt is read-only") !=
        std::string::npos);
  CHECK(text.find("v.yaml:4: AxiVersion.ScratchPad") != std::string::npos);
  CHECK(text.find("v.yaml:6: App.RoceDispatcher.Len: is set in line 5 already") != std::string::npos);
  CHECK(text.find("v.yaml:7") != std::string::npos);
  CHECK(text.find("v.yaml:8") != std::string::npos);
  CHECK(text.find("v.yaml:9") != std::string::npos);
}

TEST_CASE("files that are not a map of values") {
  CHECK_FALSE(file_complaint("").empty());
  CHECK_FALSE(file_complaint("- 1\n").empty());
  CHECK_FALSE(file_complaint("just text\n").empty());
  CHECK_FALSE(file_complaint("a: {").empty());
  CHECK_FALSE(file_complaint("AxiVersion.ScratchPad: 1\nAxiVersion.ScratchPad: 2\n").empty());
}

TEST_CASE("a dump can be loaded") {
  BoardFake board(catalogue());
  board.words[4] = 0xc6c2f69e;
  board.words[0x00120000] = 0b01001;
  board.words[0x80010004] = 0x55;
  board.words[0x80000010] = 1;
  std::vector<Register> settings;
  for (const Register& reg : catalogue().all()) {
    if (is_setting(reg)) settings.push_back(reg);
  }
  const auto readings = read_registers(board, settings);
  const auto values = read_values(catalogue(), write_values(readings), "dump.yaml");
  REQUIRE(values.size() == readings.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(readings[i].reg.path);
    CHECK(values[i].reg.path == readings[i].reg.path);
    CHECK(values[i].bits == readings[i].bits);
  }
}

TEST_CASE("loading a dump triggers no action") {
  for (const char* name :
       {"RoceEngine.SendMetaData", "RoceDispatcher.StartDispatching", "FwRudpServer[0].CloseConn",
        "AxiVersion.UserReset", "AxiMicronN25Q[0].CmdReg", "AppTx.SendFrame", "UpTimeCnt"})
    CHECK_FALSE(is_setting(catalogue().one(name)));
  CHECK(is_setting(catalogue().one("RoceDispatcher.DispatchCounter")));
}
