// SPDX-License-Identifier: BSD-3-Clause
// Tests properties of all registers: access, write masks, consistent snapshots.
#include "board/board_registers.hpp"

#include "register_access.hpp"

#include <algorithm>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using softfeb::test::RegisterAccessor;

namespace {

BoardRegistersConfig every_slot(const Profile& profile) {
  BoardRegistersConfig config{.profile = &profile};
  config.dcqcn_qps.clear();
  for (std::size_t i = 0; i < dcqcn_slots(profile); ++i) config.dcqcn_qps.push_back(i);
  config.traffic_gens.resize(traffic_gens(profile));
  return config;
}

std::vector<std::uint8_t> bytes_of(const Register& r, std::uint8_t fill) {
  return std::vector<std::uint8_t>(r.words() * 4, fill);
}

}  // namespace

TEST_CASE("registers: all accept reads and writes", "[registers]") {
  for (const Profile& profile : profiles()) {
    INFO(profile.name());
    BoardRegisters board(every_slot(profile));
    RegisterAccessor access(board);
    for (const Register& r : profile.map().all()) {
      INFO(r.path);
      auto data = bytes_of(r, 0);
      CHECK(access.read(r.address, data).status == AccessStatus::kOk);
      CHECK(access.write(r.address, data).status == AccessStatus::kOk);
      CHECK(access.write(r.address, bytes_of(r, 0xff)).words == r.words());
    }
  }
}

TEST_CASE("registers: reset values match the map", "[registers]") {
  // Some registers have no fixed reset value: live registers, and registers whose values depend on the board.
  const std::vector<std::string> other{"AxiVersion.*",    "TenGigEthReg.*", "UdpEngine.*",
                                       "FwRudpServer*.*", "Sfp.*",          "RoceEngine.Dcqcn.R*"};
  BoardRegisters board({});
  RegisterAccessor access(board);
  const RegisterMap& map = default_profile().map();
  std::vector<const Register*> skipped;
  for (const auto& pattern : other) {
    for (const Register* r : map.match(pattern)) skipped.push_back(r);
  }
  std::size_t checked = 0;
  for (const Register& r : map.all()) {
    if (!r.readable() || r.bit_size > 64) continue;
    if (std::find(skipped.begin(), skipped.end(), &r) != skipped.end()) continue;
    INFO(r.path);
    CHECK(access.value(r) == r.reset);
    ++checked;
  }
  CHECK(checked > 120);
  CHECK(access.value("AppTx.FrameSize") == 0x1'ffff);
  CHECK(access.value("FwRudpServer[0].locMaxOutsSeg") == 16);
  CHECK(access.value("FwRudpServer[1].locMaxSegSize") == 8192);
  CHECK(access.value("FwRudpServer[1].HeaderChksumEn") == 1);
}

TEST_CASE("registers: a write changes only writable bits", "[registers]") {
  for (const Profile& profile : profiles()) {
    BoardRegisters board(every_slot(profile));
    RegisterAccessor access(board);
    for (const Register& r : profile.map().all()) {
      if (r.kind == RegisterKind::kCommand || !r.readable() || r.bit_size > 64) continue;
      // These registers accept only a range of values.
      if (r.path.ends_with("locMaxSegSize") || r.path.ends_with("PacketSize")) continue;
      INFO(r.path);
      const std::uint64_t before = access.value(r);
      access.write(r.address, bytes_of(r, 0xff));
      const std::uint64_t ones = ~std::uint64_t{0} >> (64 - r.bit_size);
      CHECK(access.value(r) == (r.access == RegisterAccess::kReadWrite ? ones : before));
    }
  }
}

TEST_CASE("registers: write-only ones read as 0", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  for (const char* path : {"AppTx.SendFrame", "RoceChecker.ResetCounters", "TenGigEthReg.CounterReset",
                           "AxiVersion.FpgaReload", "AxiSysMonUltraScale.CONVSTR"}) {
    access.set(path, 1);
    CHECK(access.word(board.profile().map().one(path).address) == 0);
  }
  // A read of CntRst does not return the written bit. The word at its address always reads as a constant.
  access.set("AxisMon.CntRst", 1);
  CHECK(access.word(0x0014'0000) == 0x0802'0111);
}

TEST_CASE("registers: an unmapped address is an error after the words before it", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  std::vector<std::uint8_t> data(12, 0x5a);
  CHECK(access.read(0x0000'000c, data).status == AccessStatus::kDecodeError);
  CHECK(access.read(0x0000'000c, data).words == 0);
  CHECK(access.read(0x0004'0000, data).words == 0);
  CHECK(access.read(0xffff'fffc, data).words == 0);
  CHECK(access.read(0x0015'2000, data).words == 0);  // a second DCQCN slot exists only in the newer firmware
  const AccessResult read = access.read(0x0000'0004, data);
  CHECK(read.status == AccessStatus::kDecodeError);
  CHECK(read.words == 2);

  std::vector<std::uint8_t> pattern(16, 0xa5);
  const AccessResult write = access.write(0x0001'0068 - 12, pattern);
  CHECK(write.status == AccessStatus::kDecodeError);
  CHECK(write.words == 2);
  CHECK(access.value("AxiSysMonUltraScale.GIER") == 0xa5a5'a5a5);
  CHECK(access.value("AxiSysMonUltraScale.IPIER") == 0);
  CHECK(access.read(0x0000'0001, data).words == 0);  // not word-aligned
}

TEST_CASE("registers: DCQCN slots exist for the board's QPs", "[registers]") {
  const Profile& newer = *find_profile("kcu105-rocev2-2026.09");
  BoardRegisters board({.profile = &newer, .dcqcn_qps = {7, 8, 9}});
  RegisterAccessor access(board);
  std::vector<std::uint8_t> word(4);
  CHECK(access.read(0x0015'3000, word).status == AccessStatus::kOk);
  CHECK(access.read(0x0015'4000, word).status == AccessStatus::kDecodeError);
  CHECK(access.write(0x0015'4000, word).status == AccessStatus::kDecodeError);
  CHECK(board.live_qps() == std::vector<std::size_t>{0, 7, 8, 9});
  CHECK_THROWS_AS(BoardRegisters({.dcqcn_qps = {0, 1}}), std::invalid_argument);
}
