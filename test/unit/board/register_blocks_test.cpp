// SPDX-License-Identifier: BSD-3-Clause
// Tests register blocks that do more than store values.
#include "board/board_registers.hpp"
#include "register_access.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using softfeb::test::RegisterAccessor;

namespace {

template <typename Action>
const Action& only(const Actions& actions) {
  REQUIRE(actions.links.empty());
  REQUIRE(actions.data_path.size() == 1);
  REQUIRE(std::holds_alternative<Action>(actions.data_path[0]));
  return std::get<Action>(actions.data_path[0]);
}

std::string text(RegisterAccessor& access, std::uint32_t address, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  REQUIRE(access.read(address, data).status == AccessStatus::kOk);
  return {data.begin(), data.end()};
}

const Profile& newer() { return *find_profile("kcu105-rocev2-2026.09"); }

}  // namespace

TEST_CASE("AxiVersion: uptime, device ID, and a build stamp that clients can parse", "[registers]") {
  BoardRegisters a({.seed = 1, .start = 7 * kSecond}), b({.seed = 2});
  RegisterAccessor access(a), other(b);
  access.now = 7 * kSecond + 999 * kMillisecond;
  CHECK(access.value("UpTimeCnt") == 0);
  access.now = 100 * kSecond;
  CHECK(access.value("UpTimeCnt") == 93);
  CHECK(access.value("FdSerial") != other.value("FdSerial"));
  CHECK(access.word(0x700) != other.word(0x700));
  const std::string stamp = text(access, 0x800, 256);
  const std::string shown = stamp.substr(0, stamp.find('\0'));
  CHECK(shown.find_first_not_of(std::string(1, '\0'), shown.size()) == std::string::npos);
  CHECK(shown.rfind("Simple10GbeRudpKcu105Example: softfeb, ", 0) == 0);
  CHECK(shown.find(", Built ") != std::string::npos);
  CHECK(shown.find(" by softfeb") != std::string::npos);
  access.set("ScratchPad", 0xdead'beef);
  CHECK(access.value("ScratchPad") == 0xdead'beef);
  CHECK(access.actions.empty());
}

TEST_CASE("AxiVersion: invalid characters of a stamp are replaced, a hash is kept", "[registers]") {
  BoardRegistersConfig config;
  config.build_stamp = "a\xff\nb" + std::string(400, 'x');
  config.git_hash[0] = 0xab;
  config.git_hash[19] = 0x01;
  BoardRegisters board(config);
  RegisterAccessor access(board);
  const std::string stamp = text(access, 0x800, 256);
  CHECK(stamp.substr(0, 5) == "a??bx");
  CHECK(stamp.back() == '\0');
  CHECK(access.word(0x600) == 0x01);         // least significant bits of the Git hash
  CHECK(access.word(0x610) == 0xab00'0000);  // most significant bits
}

TEST_CASE("SysMon: readings convert to plausible values", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  const auto code = static_cast<double>(access.value("RawTemperature"));
  CHECK(code * 501.3743 / 4096 - 273.6777 == Approx(45).margin(0.1));
  CHECK(static_cast<double>(access.value("RawVccInt")) * 732e-6 == Approx(0.95).margin(0.002));
  CHECK(static_cast<double>(access.value("RawVccAux")) * 732e-6 == Approx(1.8).margin(0.002));
}

TEST_CASE("Sfp: the module's identification is text", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  std::string name, date;
  for (std::uint32_t i = 0; i < 16; ++i) name += static_cast<char>(access.word(0x0020'2050 + i * 4));
  for (std::uint32_t i = 0; i < 6; ++i) date += static_cast<char>(access.word(0x0020'2150 + i * 4));
  CHECK(name == "softfeb         ");
  CHECK(date.find_first_not_of("0123456789") == std::string::npos);
  CHECK((access.value("Diagnostics[0]") << 8 | access.value("Diagnostics[1]")) == 38 * 256);
}

TEST_CASE("TenGigEthReg: port counters count from the last reset", "[registers]") {
  BoardRegisters board({.mac = {0x08, 0x00, 0x56, 0x01, 0x02, 0x03}});
  RegisterAccessor access(board);
  access.live.port = {.link_up = true, .rx_frames = 100, .tx_frames = 200, .rx_pause = 3};
  CHECK(access.value("rxFrameCnt") == 100);
  CHECK(access.value("txFrameCnt") == 200);
  CHECK(access.value("rxPauseCnt") == 3);
  // rxPauseCnt adds the pause frames that the port consumes and those that it passes on to the board.
  access.live.data.rx_pause = 4;
  CHECK(access.value("rxPauseCnt") == 7);
  CHECK(access.value("phyReadyCnt") == 1);
  CHECK(access.value("phyReady") == 1);
  CHECK(access.value("txUsrRdy") == 1);
  access.set("TenGigEthReg.CounterReset", 1);
  CHECK(access.value("rxFrameCnt") == 0);
  CHECK(access.value("rxPauseCnt") == 0);
  CHECK(access.value("phyReadyCnt") == 0);
  access.live.port.rx_frames = 107;
  CHECK(access.value("rxFrameCnt") == 7);
  access.live.port.rx_frames = 5;  // the counter restarts together with the port
  CHECK(access.value("rxFrameCnt") == 5);
  access.live.port.rx_frames = 108;  // not 8: the restart has cancelled the CounterReset at 100
  CHECK(access.value("rxFrameCnt") == 108);
  access.live.port.link_up = false;
  CHECK(access.value("phyReady") == 0);
  CHECK(access.value("TenGigEthReg.MacAddress") == 0x0302'0156'0008);
}

TEST_CASE("TenGigEthReg: counters saturate or roll over, as RollOverEn selects", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  access.live.port.rx_frames = (std::uint64_t{1} << 32) + 5;
  CHECK(access.value("rxFrameCnt") == 0xffff'ffff);
  access.set("RollOverEn", 1U << 3);
  CHECK(access.value("rxFrameCnt") == 5);
  access.set("TenGigEthReg.HardReset", 1);
  CHECK(access.value("RollOverEn") == 0);
  CHECK(access.value("rxFrameCnt") == 0);
}

TEST_CASE("UdpEngine: addresses in network order, and the RoCE destination", "[registers]") {
  BoardRegisters board({.mac = {1, 2, 3, 4, 5, 6}, .ip = roce::IpAddress::from_v4(0xc0a8'020a)});
  RegisterAccessor access(board);
  CHECK(text(access, 0x0011'0ff4, 4) == std::string("\xc0\xa8\x02\x0a"));
  CHECK(text(access, 0x0011'0ff8, 8) == std::string("\1\2\3\4\5\6\0\0", 8));
  CHECK(access.word(0x0011'0000) == 0xb712);

  access.set("ClientRemoteIpRaw[0]", 0x6402'a8c0);
  CHECK(only<SetDestination>(access.actions).ip == roce::IpAddress::from_v4(0xc0a8'0264));
  CHECK(only<SetDestination>(access.actions).udp_port == 4791);
  access.actions.clear();
  access.set("ClientRemotePortRaw[0]", 0x0102);
  CHECK(only<SetDestination>(access.actions).udp_port == 0x0201);
  access.actions.clear();
  // A single write to both registers causes only one action. An address of zero means that there is no
  // destination.
  const std::vector<std::uint8_t> both(8);
  access.write(0x0011'0000, both);
  CHECK(only<SetDestination>(access.actions).ip == roce::IpAddress{});

  access.live.rssi[1].peer_ip = roce::IpAddress::from_v4(0x0a00'0001);
  access.live.rssi[1].peer_port = 0x1234;
  CHECK(access.value("ServerRemoteIpRaw[1]") == 0x0100'000a);
  CHECK(access.value("ServerRemotePortRaw[1]") == 0x3412);
  CHECK(access.value("ServerRemoteIpRaw[0]") == 0);
}

TEST_CASE("UdpEngine: the newer firmware's traffic class beside the MAC address", "[registers]") {
  BoardRegisters board({.profile = &newer(), .mac = {1, 2, 3, 4, 5, 6}, .dscp = 26, .ecn = 2});
  RegisterAccessor access(board);
  CHECK(access.value("UdpEngine.EcnFlag") == 2);
  CHECK(access.value("UdpEngine.Dscp") == 26);
  access.set("UdpEngine.EcnFlag", 0);
  CHECK(only<SetTrafficClass>(access.actions).ecn == 0);
  CHECK(only<SetTrafficClass>(access.actions).dscp == 26);
  CHECK(access.word(0x0011'0ffc) == (26U << 18 | 0x0605));
}

TEST_CASE("FwRudpServer: negotiated values and link state", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  RssiState& s = access.live.rssi[1];
  s.connection = RssiConnection::kOpen;
  s.negotiated = {.max_outstanding = 32, .max_segment = 1400, .retransmit_ms = 20};
  s.remote_busy = true;
  s.valid = 77;
  s.rx_last_seq = 0xfe;
  CHECK(access.value("FwRudpServer[1].curMaxSegSize") == 1400);
  CHECK(access.value("FwRudpServer[1].curRetransTimeout") == 20);
  CHECK(access.value("FwRudpServer[1].locMaxSegSize") == 8192);
  CHECK(access.value("FwRudpServer[1].ConnectionActive") == 1);
  CHECK(access.value("FwRudpServer[1].RemoteBusy") == 1);
  CHECK(access.value("FwRudpServer[1].ConnState") == 7);
  CHECK(access.value("FwRudpServer[1].ValidCnt") == 77);
  CHECK(access.value("FwRudpServer[1].RxLastSeqN") == 0xfe);
  CHECK(access.value("FwRudpServer[0].ConnState") == 4);
  s.tx_bytes = 0;
  CHECK(access.value("FwRudpServer[1].TxBandwidth") == 0);
  access.now += 2 * kSecond;
  s.tx_bytes = 10'000'000'000;
  CHECK(access.value("FwRudpServer[1].TxBandwidth") == 5'000'000'000);
}

TEST_CASE("FwRudpServer: parameters and commands go to the link", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  access.set("FwRudpServer[0].locMaxSegSize", 60000);
  CHECK(access.value("FwRudpServer[0].locMaxSegSize") == 1024);  // limited to the size of the segment buffer
  access.set("FwRudpServer[0].locMaxSegSize", 512);
  access.set("FwRudpServer[0].locNullSegTimeout", 3000);
  access.set("FwRudpServer[0].CloseConn", 1);
  access.set("FwRudpServer[0].CloseConn", 1);  // no rising edge, because the bit is already 1
  access.set("FwRudpServer[0].InjectFault", 1);
  REQUIRE(access.actions.links.size() == 6);
  const SetRssi& close = access.actions.links[3];
  CHECK(close.link == 0);
  CHECK(close.parameters == RssiLimits{.max_segment = 512, .null_ms = 3000});
  CHECK(close.close);
  CHECK_FALSE(close.inject_fault);
  CHECK_FALSE(access.actions.links[4].close);
  CHECK(access.actions.links[5].inject_fault);
  CHECK(access.actions.data_path.empty());
}

TEST_CASE("AxisMon: both directions of the stream, cleared by a write", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  board.monitor(0).on_frame(1000, 0);
  board.monitor(1).on_frame(24, 0);
  access.now = kSecond;
  CHECK(access.value("AxisMon.Ch[0].FrameCnt") == 1);
  CHECK(access.value("AxisMon.Ch[0].RawBandwidthMax") == 1000);
  CHECK(access.value("AxisMon.Ch[1].FrameSizeMin") == 24);
  CHECK(access.value("AXIS_CONFIG_G_TDATA_BYTES_C") == 8);
  access.set("AxisMon.CntRst", 1);
  CHECK(access.value("AxisMon.Ch[0].FrameCnt") == 0);
  CHECK(access.value("AxisMon.Ch[1].FrameSizeMin") == 0);
}

TEST_CASE("Dcqcn: one access is one action; live values are those of the slot's QP", "[registers]") {
  BoardRegisters board({.profile = &newer(), .dcqcn_qps = {4, 9}});
  RegisterAccessor access(board);
  CHECK(access.value("RoceEngine.Dcqcn.Rai") == 6'000'000);
  std::vector<std::uint8_t> block(24);
  access.read(0x0015'2000, block);
  store_le32(&block[4], 7'000'000);
  store_le32(&block[8], 13'000'000);
  access.write(0x0015'2000, block);
  const SetDcqcn& set = only<SetDcqcn>(access.actions);
  CHECK(set.qp == 9);
  dcqcn::FirmwareParameters expected{};
  expected.rai = 7'000'000;
  expected.rhai = 13'000'000;
  CHECK(set.parameters == expected);
  access.actions.clear();
  access.set("Dcqcn[1].DcqcnBypass", 1);
  CHECK(only<SetDcqcn>(access.actions).parameters.dcqcn_bypass);
  access.actions.clear();
  access.set("Dcqcn[1].CnpCounterReset", 1);
  CHECK(only<SetCnpCounterReset>(access.actions).level);
  CHECK(only<SetCnpCounterReset>(access.actions).qp == 9);

  CHECK(access.value("Dcqcn[1].Rc") == 1'250'000'000);
  access.live.data.qps = {{.qp = 9,
                           .exists = true,
                           .rc = 625'610'352,
                           .rt = 5'000'000'000,
                           .alpha = 1024,
                           .cnp_counter = 0xffff}};
  CHECK(access.value("Dcqcn[1].Rc") == 625'610'352);
  CHECK(access.value("Dcqcn[1].Rt") == 0xffff'ffff);
  CHECK(access.value("Dcqcn[1].Alpha") == 1023);
  CHECK(access.value("Dcqcn[1].CnpCounter") == 0xffff);
  CHECK(access.value("Dcqcn[1].CnpCounterReset") == 1);
  CHECK(access.value("RoceEngine.Dcqcn.Rc") == 1'250'000'000);
}

TEST_CASE("Dcqcn: registers show the configured parameters", "[registers]") {
  dcqcn::FirmwareParameters p{};
  p.alpha_g = 1000;
  p.clamp_tgt_rate = true;
  p.dcqcn_bypass = true;  // keeps its value, because the older firmware has no register for this parameter
  BoardRegisters board({.dcqcn = {p}});
  RegisterAccessor access(board);
  CHECK(access.value("Dcqcn.AlphaG") == 1000);
  access.set("Dcqcn.AlphaG", 999);
  p.alpha_g = 999;
  CHECK(only<SetDcqcn>(access.actions).parameters == p);
}

TEST_CASE("Dcqcn: registers show the values in force, and a write changes only its words", "[registers]") {
  BoardRegisters board({.profile = &newer(), .dcqcn_qps = {4, 9}});
  RegisterAccessor access(board);
  dcqcn::FirmwareParameters p;
  p.alpha_g = 1000;
  p.dec_gain = 3;
  p.time_stage_threshold = 7;
  p.clamp_tgt_rate = p.dcqcn_bypass = true;
  p.rai = 1;
  p.rhai = 2;
  p.rmin = 3;
  p.rate_inc_interval = 4;
  p.rate_dec_interval = 5;
  p.alpha_upd_interval = 6;
  // The data path reports parameters that were not written through these registers.
  access.live.data.qps = {{.qp = 9, .exists = true, .rc = 1, .parameters = p}};
  CHECK(access.value("Dcqcn[1].AlphaG") == 1000);
  CHECK(access.value("Dcqcn[1].DecGain") == 3);
  CHECK(access.value("Dcqcn[1].TimeStageThreshold") == 7);
  CHECK(access.value("Dcqcn[1].ClampTgtRate") == 1);
  CHECK(access.value("Dcqcn[1].DcqcnBypass") == 1);
  CHECK(access.value("Dcqcn[1].Rai") == 1);
  CHECK(access.value("Dcqcn[1].Rhai") == 2);
  CHECK(access.value("Dcqcn[1].Rmin") == 3);
  CHECK(access.value("Dcqcn[1].RateIncInterval") == 4);
  CHECK(access.value("Dcqcn[1].RateDecInterval") == 5);
  CHECK(access.value("Dcqcn[1].AlphaUpdInterval") == 6);
  CHECK(access.value("RoceEngine.Dcqcn.Rai") == 6'000'000);

  const dcqcn::FirmwareParameters other;  // the data path has changed the parameters again since the last
                                          // read of a register
  dcqcn::FirmwareParameters expected = other;
  access.set_word(0x0015'2008, 77);
  expected.rhai = 77;
  CHECK(only<SetDcqcn>(access.actions).applied_to(other) == expected);
  access.actions.clear();
  access.set_word(0x0015'2014, 9 << 16 | 8);
  expected = other;
  expected.rate_dec_interval = 8;
  expected.alpha_upd_interval = 9;
  CHECK(only<SetDcqcn>(access.actions).applied_to(other) == expected);
  access.actions.clear();
  access.set_word(0x0015'2024, 0);
  CHECK(only<SetDcqcn>(access.actions).applied_to(p).dcqcn_bypass == false);
  access.actions.clear();
  access.set_word(0x0015'2000, 1 << 22 | 2 << 14 | 4 << 10 | 5);
  expected = p;
  expected.alpha_g = 5;
  expected.dec_gain = 4;
  expected.time_stage_threshold = 2;
  CHECK(only<SetDcqcn>(access.actions).applied_to(p) == expected);

  // A QP without the firmware's DCQCN has no live values, so the registers keep the written values.
  access.live.data.qps = {{.qp = 9, .exists = true, .rc = 1}};
  CHECK(access.value("Dcqcn[1].AlphaG") == 5);
  CHECK(access.value("Dcqcn[1].Rhai") == 77);
}

TEST_CASE("Dcqcn: writes preserve parameters without a register", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  dcqcn::FirmwareParameters p;
  p.dcqcn_bypass = true;  // not set by a register, because the older firmware has none for this parameter
  p.rai = 5;
  access.live.data.qps = {{.qp = 0, .exists = true, .rc = 1, .parameters = p}};
  CHECK(access.value("Dcqcn.Rai") == 5);
  access.set("Dcqcn.Rai", 6);
  p.rai = 6;
  CHECK(only<SetDcqcn>(access.actions).parameters == p);
  CHECK(only<SetDcqcn>(access.actions).applied_to(p) == p);
}

TEST_CASE("AppTx: registers control the generator", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  access.set("AppTx.FrameSize", 4);
  access.set_word(0x8000'0004, 2);
  CHECK(board.app_tx().ready());
  std::vector<std::uint8_t> room(40);
  board.app_tx().fill(room);
  CHECK(access.value("AppTx.FrameCnt") == 1);
  CHECK(access.value("AppTx.WordCnt") == 0);
  board.app_tx().fill(room);
  CHECK_FALSE(board.app_tx().ready());
  access.set("AppTx.ContinuousMode", 1);
  CHECK(board.app_tx().ready());
}

TEST_CASE("RoceDispatcher: an edge starts a burst with the current settings", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  access.set("RoceDispatcher.Len", 9000);
  access.set("RoceDispatcher.RKey", 0x1122'3344);
  access.set("RoceDispatcher.RemAddr", 0x7f00'1234'5000);
  access.set("RoceDispatcher.SQpn", 0x11);
  access.set("AddrWrapCount", 256);
  for (const auto& action : access.actions.data_path) CHECK_FALSE(std::get<Dispatch>(action).start);
  CHECK(access.actions.data_path.size() == 5);
  access.actions.clear();
  access.set_word(0x8002'0f00, 1000 << 1);
  CHECK_FALSE(only<Dispatch>(access.actions).start);
  access.actions.clear();
  access.set_word(0x8002'0f00, 1000 << 1 | 1);
  const Dispatch d = only<Dispatch>(access.actions);
  CHECK(d.start);
  CHECK(d.count == 1000);
  CHECK(d.length == 9000);
  CHECK(d.rkey == 0x1122'3344);
  CHECK(d.remote_address == 0x7f00'1234'5000);
  CHECK(d.sqpn == 0x11);
  CHECK(d.address_wrap_count == 256);
  access.actions.clear();
  access.set_word(0x8002'0f00, 1000 << 1 | 1);  // no edge: the bit is already 1
  CHECK_FALSE(only<Dispatch>(access.actions).start);
}

TEST_CASE("RoceChecker: 24-bit counters of the data path, reset by level", "[registers]") {
  BoardRegisters board({});
  RegisterAccessor access(board);
  access.live.data.completions_ok = (std::uint64_t{1} << 24) + 9;
  access.live.data.completions_failed = 3;
  CHECK(access.value("SuccessCounter") == 9);
  CHECK(access.value("UnsuccessCounter") == 3);
  access.set("ResetCounters", 1);
  access.set("ResetCounters", 0);
  REQUIRE(access.actions.data_path.size() == 2);
  CHECK(std::get<SetCompletionReset>(access.actions.data_path[0]).level);
  CHECK_FALSE(std::get<SetCompletionReset>(access.actions.data_path[1]).level);
}

TEST_CASE("registers: accesses that need the data path are known", "[registers]") {
  BoardRegisters board({.first_bus_qp = 3});
  CHECK(board.live_qps() == std::vector<std::size_t>{0, 3});
  CHECK(board.needs_live_for_read(0x0015'1018, 4));
  CHECK(board.needs_live_for_read(0x8003'0f00, 4));
  CHECK(board.needs_live_for_read(0x0010'0000, 4));  // address of rxPauseCnt
  CHECK(board.needs_live_for_write(0x0010'0ff4, 4));
  CHECK_FALSE(board.needs_live_for_write(0x0010'0f00, 4));
  CHECK_FALSE(board.needs_live_for_read(0x0000'0000, 4));
  CHECK_FALSE(board.needs_live_for_read(0x8001'0000, 1024));
  CHECK(board.needs_live_for_write(0x0015'0f00, 4));
  CHECK_FALSE(board.needs_live_for_write(0x0015'0f04, 40));
  CHECK_FALSE(board.needs_live_for_write(0x0004'0000, 4));
}
