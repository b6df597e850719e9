// SPDX-License-Identifier: BSD-3-Clause
// Tests boards that receive pause frames, in virtual time.
#include "lone_board.hpp"
#include "roce/mac_control.hpp"

#include <map>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using roce::MacControl;
using test::Departure;
using test::LoneBoard;

namespace {

constexpr std::uint64_t kLinkRate = 1'250'000'000;
constexpr Time kQuantum = 51'200;  // 512 bits at 10 Gb/s
constexpr roce::MacAddress kBoardMac{2, 0, 0, 0, 0, 1};
constexpr roce::MacAddress kSwitchMac{2, 0, 0, 0, 0, 9};

BoardConfig config(PauseMode mode) {
  BoardConfig c;
  c.link_rate = kLinkRate;
  c.pause.mode = mode;
  return c;
}

void nothing(SendQpConfig& /*qp*/, std::uint32_t /*i*/) {}

void pause(LoneBoard& b, std::uint16_t quanta, const roce::MacAddress& to = roce::kPauseAddress) {
  b.receive(roce::write_mac_control(kSwitchMac, to, {MacControl::Kind::kPause, 0, {quanta}}));
}

void pfc(LoneBoard& b, std::uint8_t enabled, std::uint16_t quanta) {
  MacControl c{MacControl::Kind::kPfc, enabled, {}};
  c.quanta.fill(quanta);
  b.receive(roce::write_mac_control(kSwitchMac, roce::kPauseAddress, c));
}

std::vector<Departure> run_until(LoneBoard& b, Time end) {
  std::vector<Departure> out;
  b.run_until(end, [&out](const Departure& d) { out.push_back(d); });
  return out;
}

/// Returns the number of packets that each QP has sent.
std::map<std::uint32_t, std::size_t> shares(const std::vector<Departure>& departures) {
  std::map<std::uint32_t, std::size_t> out;
  for (const Departure& d : departures) ++out[d.qp];
  return out;
}

}  // namespace

TEST_CASE("a paused board sends nothing for the requested time, then continues", "[pause]") {
  LoneBoard b(2, nothing, config(PauseMode::kPause));
  b.start();
  const auto before = run_until(b, 100 * kMicrosecond);
  REQUIRE(before.size() > 20);
  pause(b, 1000);
  CHECK(run_until(b, 100 * kMicrosecond + 1000 * kQuantum - 1).empty());
  CHECK(b.board().next_event(b.now()) == 100 * kMicrosecond + 1000 * kQuantum);
  const auto after = run_until(b, 300 * kMicrosecond);
  REQUIRE(after.size() > 20);
  CHECK(after.front().at == 100 * kMicrosecond + 1000 * kQuantum);
  CHECK(after[1].at - after[0].at > 3 * kMicrosecond);  // no credit accumulates during a pause
  CHECK(b.board().counters().rx_pause == 1);
  CHECK(b.board().pause().total(b.now()) == 1000 * kQuantum);
}

TEST_CASE("only the newest pause frame counts; quanta of 0 end a pause at once", "[pause]") {
  LoneBoard b(1, nothing, config(PauseMode::kPause));
  b.start();
  run_until(b, 50 * kMicrosecond);
  pause(b, 0xffff);
  CHECK(run_until(b, 60 * kMicrosecond).empty());
  pause(b, 100, kBoardMac);  // a pause frame sent to the board's own address is also valid
  CHECK(run_until(b, 60 * kMicrosecond + 100 * kQuantum - 1).empty());
  CHECK(run_until(b, 60 * kMicrosecond + 100 * kQuantum).size() == 1);
  pause(b, 0xffff);
  run_until(b, 70 * kMicrosecond);
  pause(b, 0);
  const auto after = run_until(b, 71 * kMicrosecond);
  REQUIRE(!after.empty());
  CHECK(after.front().at == 70 * kMicrosecond);
  CHECK(b.board().counters().rx_pause == 4);
  const Time second = 70 * kMicrosecond - (60 * kMicrosecond + 100 * kQuantum);
  CHECK(b.board().pause().total(b.now()) == 10 * kMicrosecond + 100 * kQuantum + second);
}

TEST_CASE("pauses for other MAC addresses, or of a disabled kind, change nothing", "[pause]") {
  for (const PauseMode mode : {PauseMode::kOff, PauseMode::kPause, PauseMode::kPfc}) {
    LoneBoard b(1, nothing, config(mode));
    b.start();
    run_until(b, 10 * kMicrosecond);
    pause(b, 0xffff, kSwitchMac);
    if (mode != PauseMode::kPause) pause(b, 0xffff);
    if (mode != PauseMode::kPfc) pfc(b, 0xff, 0xffff);
    CHECK(run_until(b, 50 * kMicrosecond).size() > 10);
    CHECK(b.board().counters().rx_pause == 0);
    CHECK(b.board().counters().rx_other == b.board().counters().rx_frames);
  }
}

TEST_CASE("ARP requests and answers wait while the MAC is paused", "[pause]") {
  const bool asks = GENERATE(false, true);
  const auto unresolved = [](SendQpConfig& qp, std::uint32_t /*i*/) { qp.peer_mac.reset(); };
  LoneBoard b(asks ? 1 : 0, unresolved, config(PauseMode::kPause));
  pause(b, 100);
  if (!asks) {
    std::array<std::uint8_t, TxFrame::kHeaderRoom> question{};
    TxFrame frame{.header = question.data()};
    Identity asker;
    asker.mac = {2, 0, 0, 0, 0, 9};
    asker.ip = *roce::IpAddress::parse("10.0.0.9");
    Host(asker).write_request(b.board().identity().ip, frame);
    b.receive(ByteSpan(question).first(frame.header_length));
  }
  std::array<std::uint8_t, TxFrame::kHeaderRoom> room{};
  std::array<TxFrame, 1> out{{{.header = room.data()}}};
  CHECK(b.board().poll(0, out) == 0);
  CHECK(b.board().next_event(0) == 100 * kQuantum);
  CHECK(b.board().control_open_at() == 100 * kQuantum);
  CHECK(b.board().poll(100 * kQuantum - 1, out) == 0);
  CHECK(b.board().poll(100 * kQuantum, out) == 1);
}

TEST_CASE("PFC stops the queue pairs of a priority; others get the link", "[pause]") {
  const bool tagged = GENERATE(false, true);
  BoardConfig c = config(PauseMode::kPfc);
  // QP 0 has priority 3, and QP 1 has priority 6.
  const auto shape = [tagged](SendQpConfig& qp, std::uint32_t i) {
    qp.path.dscp = tagged ? 0 : (i == 0 ? 26 : 48);
    if (tagged) qp.path.vlan = roce::VlanTag{7, static_cast<std::uint8_t>(i == 0 ? 3 : 6)};
  };
  LoneBoard b(2, shape, c);
  b.start();
  const auto packets = [&b](std::uint32_t qp) { return b.board().qp(qp).requester().counters().packets; };
  run_until(b, 100 * kMicrosecond);
  CHECK(packets(0) + packets(1) == b.board().counters().tx_frames);
  pfc(b, 1 << 3, 2000);
  const std::uint64_t before0 = packets(0), before1 = packets(1);
  run_until(b, 100 * kMicrosecond + 2000 * kQuantum - 1);
  CHECK(packets(0) == before0);
  CHECK(packets(1) - before1 >= 29);  // one packet per 3.3 µs for 102 µs
  run_until(b, 220 * kMicrosecond);
  CHECK(packets(0) > before0);
  // Pause both priorities. Then a quantum of 0 for one of the priorities must resume only this priority,
  // immediately.
  pfc(b, (1 << 3) | (1 << 6), 0xffff);
  run_until(b, 230 * kMicrosecond);
  const std::uint64_t then0 = packets(0), then1 = packets(1);
  run_until(b, 300 * kMicrosecond);
  CHECK(packets(0) == then0);
  CHECK(packets(1) == then1);
  pfc(b, 1 << 3, 0);
  CHECK(b.board().next_event(b.now()) == b.now());
  run_until(b, 310 * kMicrosecond);
  CHECK(packets(0) > then0);
  CHECK(packets(1) == then1);
}

TEST_CASE("PFC and a shared rate: queue pairs that may send get all of it", "[pause]") {
  const auto shape = [](SendQpConfig& qp, std::uint32_t i) {
    qp.path.dscp = i == 0 ? 26 : 48;
    dcqcn::FirmwareSettings p;
    p.build.line_rate = kLinkRate / 2;
    qp.congestion = p;
    qp.congestion_group = 0;
  };
  LoneBoard b(2, shape, config(PauseMode::kPfc));
  b.start();
  const auto even = shares(run_until(b, 2 * kMillisecond));
  CHECK(even.at(0) <= even.at(1) + 1);
  CHECK(even.at(1) <= even.at(0) + 1);
  pfc(b, 1 << 3, 0xffff);
  const auto alone = shares(run_until(b, 4 * kMillisecond));
  CHECK(alone.count(0) == 0);
  CHECK(alone.at(1) + 1 >= even.at(0) + even.at(1));
  run_until(b, 6 * kMillisecond);
  const auto again = shares(run_until(b, 8 * kMillisecond));
  CHECK(again.at(0) <= again.at(1) + 1);
  CHECK(again.at(1) <= again.at(0) + 1);
}

TEST_CASE("the priority follows the traffic class that the board's registers set", "[pause]") {
  LoneBoard b(
      1, [](SendQpConfig& qp, std::uint32_t) { qp.path.dscp = 26; }, config(PauseMode::kPfc));
  b.start();
  run_until(b, 10 * kMicrosecond);
  pfc(b, 1 << 3, 0xffff);
  CHECK(run_until(b, 20 * kMicrosecond).empty());
  b.board().apply(board::SetTrafficClass{48, 2}, b.now());
  CHECK(run_until(b, 120 * kMicrosecond).size() >= 30);
  pfc(b, 1 << 6, 1000);
  CHECK(run_until(b, b.now() + 999 * kQuantum).empty());
}
