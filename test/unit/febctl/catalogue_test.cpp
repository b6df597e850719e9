// SPDX-License-Identifier: BSD-3-Clause
#include "board_fake.hpp"
#include "failure.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;

namespace {

std::string complaint(const std::string& name) {
  try {
    catalogue().one(name);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("registers are found by their path or its end") {
  CHECK(catalogue().one("Root.Core.AxiVersion.ScratchPad").address == 4);
  CHECK(catalogue().one("AxiVersion.ScratchPad").address == 4);
  CHECK(catalogue().one("ScratchPad").address == 4);
  CHECK(catalogue().one("FwRudpServer[1].ValidCnt").address == 0x00130044);
  // If the text is the complete path of a register, longer paths that end in this text do not make it
  // ambiguous.
  CHECK(catalogue().one("AxisMon.Ch[0].FrameCnt").address == 0x00140004);
}

TEST_CASE("a list with one member needs no index") {
  CHECK(catalogue().one("UdpEngine.ClientRemoteIpRaw").address == 0x00110004);
  CHECK(complaint("UdpEngine.ServerRemoteIpRaw").find("ServerRemoteIpRaw[0]") != std::string::npos);
}

TEST_CASE("array elements have names") {
  const Register element = catalogue().one("AppMem.DataBlock[5]");
  CHECK(element.address == 0x80010014);
  CHECK(element.bit_size == 32);
  CHECK(element.range() == Range{0x80010014, 4});
  CHECK(complaint("AppMem.DataBlock[256]").find("0 to 255") != std::string::npos);
}

TEST_CASE("ambiguous or unknown names are reported with suggestions") {
  CHECK(complaint("FrameCnt").find("AppTx.FrameCnt") != std::string::npos);
  CHECK(complaint("AxiVersion.ScratchPat").find("did you mean Root.Core.AxiVersion.ScratchPad?") !=
        std::string::npos);
  CHECK(complaint("scratchpad").find("AxiVersion.ScratchPad") != std::string::npos);
  CHECK(complaint("AxiVersion").find("AxiVersion.*") != std::string::npos);
  CHECK(complaint("Whatever.Is.This").find("febctl list") != std::string::npos);
  CHECK(complaint(std::string(100'000, 'x')).find("febctl list") != std::string::npos);
  // A path cannot be abbreviated in the middle of a name.
  CHECK_THROWS_AS(catalogue().one("Pad"), UsageError);
}

TEST_CASE("patterns") {
  CHECK(catalogue().resolve("AxiMicronN25Q[?].AddrReg").size() == 2);
  CHECK(catalogue().resolve("FwRudpServer[0].cur*").size() == 7);
  CHECK(catalogue().resolve("*").size() == catalogue().all().size());
  CHECK_THROWS_AS(catalogue().resolve("Nothing*"), UsageError);
  CHECK(matches("a*b?d", "axxbcd"));
  CHECK_FALSE(matches("a*b?d", "axxbd"));
  CHECK(matches("*[0]*", "Ch[0].x"));
  CHECK_FALSE(matches("", "x"));
}

TEST_CASE("nodes of the tree") {
  CHECK(catalogue().below("AxiVersion").size() == 12);
  CHECK(catalogue().below("Root.Core.AxiVersion").size() == 12);
  CHECK(catalogue().below("FwRudpServer[0]").size() == catalogue().below("FwRudpServer[1]").size());
  CHECK_THROWS_AS(catalogue().below("AxiVersio"), UsageError);
}

TEST_CASE("words shared by several registers") {
  CHECK(catalogue().shares_words(catalogue().one("FwRudpServer[0].OpenConn")));
  CHECK(catalogue().shares_words(catalogue().one("RoceDispatcher.DispatchCounter")));
  // The words of the following registers contain no other writable registers.
  CHECK_FALSE(catalogue().shares_words(catalogue().one("FwRudpServer[0].locMaxSegSize")));
  CHECK_FALSE(catalogue().shares_words(catalogue().one("AxisMon.CntRst")));
  CHECK_FALSE(catalogue().shares_words(catalogue().one("RoceDispatcher.RemAddr")));
  CHECK(catalogue().read_write_mask(0x80020f00) == 0x01ffffff);
  CHECK(catalogue().read_write_mask(0x00150f00) == 1);
  CHECK(catalogue().read_write_mask(0x00150f04 + 36) == 0x7fff);
  CHECK(catalogue().read_write_mask(0x7000'0000) == ~0U);
}

TEST_CASE("raw registers have a second name") {
  CHECK(catalogue().one("UdpEngine.ClientRemotePort[0]").human);
  CHECK(catalogue().one("UdpEngine.ClientRemoteIp").address == 0x00110004);
  CHECK(catalogue().resolve("UdpEngine.ClientRemote*").size() == 2);
}

TEST_CASE("the registers of traffic generators have names in all profiles") {
  const Catalogue both(registers_of(board::default_profile()), own_registers());
  CHECK(both.all().size() == catalogue().all().size());
  CHECK(both.one("TrafficGen[0].PacketCount").address == 0x8004'0008);
  CHECK(both.one("Root.App.TrafficGen[3].Busy").address == 0x8004'3024);
  CHECK(both.one("ScratchPad").address == 4);
  CHECK_THROWS_AS(both.one("Busy"), UsageError);  // ambiguous, because there are four generators
}
