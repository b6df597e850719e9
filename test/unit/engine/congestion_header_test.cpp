// SPDX-License-Identifier: BSD-3-Clause
// Tests boards and receivers that exchange congestion control headers (CCH).
#include "board_builder.hpp"
#include "congestion/algorithm.hpp"
#include "filled_payload.hpp"
#include "roce/congestion_frame.hpp"
#include "roce/frame.hpp"
#include "wire.hpp"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using roce::CongestionHeader;
using test::Bytes;

namespace {

constexpr std::uint32_t kCchPmtu = 1024;
constexpr std::uint16_t kCchPort = 50'000;

/// A board that writes three messages to a receiver, with or without headers.
class HeaderExperiment {
 public:
  explicit HeaderExperiment(const char* algorithm, std::uint16_t board_port, std::uint16_t receiver_port,
                            bool v6 = false, bool vlan = false)
      : payload_(test::FilledPayload::counter(5 * kCchPmtu + 3, kCchPmtu)), memory_(5 * kCchPmtu + 3) {
    Identity feb = test::identity(1, v6), daq = test::identity(2, v6);
    if (vlan) feb.vlan = daq.vlan = roce::VlanTag{7, 3};
    test::BoardBuilder b(feb);
    b.config.link_rate = 1'250'000'000;
    b.config.cc_port = board_port;
    test::ReceiverBuilder r(daq);
    r.config.cc_port = receiver_port;
    SendQpConfig& qp = b.qp(daq, *payload_, kCchPmtu);
    const congestion::Algorithm* const a = congestion::find_algorithm(algorithm);
    qp.congestion = congestion::AlgorithmSettings{a, a->defaults({.pmtu = kCchPmtu})};
    qp.traffic.messages = 3;
    qp.traffic.verb = roce::WrOpcode::kWriteImm;
    r.qp(qp, memory_);
    board = b.build();
    receiver = r.build();
    wire = std::make_unique<test::Wire>(std::vector<Endpoint*>{board.get(), receiver.get()});
    wire->keep_log = true;
  }

  bool run() {
    board->start(0);
    return wire->run(100 * kMillisecond, [this] { return board->finished(); });
  }

  std::unique_ptr<Board> board;
  std::unique_ptr<Receiver> receiver;
  std::unique_ptr<test::Wire> wire;

 private:
  test::FilledPayload payload_;
  std::vector<std::uint8_t> memory_;
};

/// A frame of the log without its congestion control header (CCH).
struct Unwrapped {
  Bytes datagram;
  bool icrc_matches = false;
  bool had_header = false;
  std::uint8_t flags = 0, profile = 0, hops = 0;
};

Unwrapped unwrap(const Bytes& frame) {
  roce::ParsedFrame parsed = roce::parse_frame(ByteSpan(frame));
  REQUIRE(parsed.kind == roce::FrameKind::kUdp);
  Unwrapped u;
  roce::CchScratch scratch;
  roce::PlainHeaders headers;
  if (parsed.dest_port == kCchPort) {
    const auto cch = roce::decode_congestion_header(parsed, scratch);
    REQUIRE(cch);
    u = {.had_header = true, .flags = cch->flags, .profile = cch->profile, .hops = cch->hops};
    REQUIRE(roce::remove_congestion_header(parsed, cch->size(), headers));
  }
  REQUIRE(parsed.dest_port == roce::kRoceUdpPort);
  u.icrc_matches = roce::icrc_matches(parsed);
  u.datagram.resize(parsed.datagram.size());
  parsed.datagram.copy(0, u.datagram.size(), u.datagram.data());
  return u;
}

}  // namespace

TEST_CASE("cch: requests carry the header of their algorithm, and responses return it", "[board][cch]") {
  const bool v6 = GENERATE(false, true), vlan = GENERATE(false, true);
  const auto [name, profile] =
      GENERATE(std::pair{"swift", CongestionHeader::kDelay}, std::pair{"hpcc", CongestionHeader::kInt});
  CAPTURE(name, v6, vlan);
  HeaderExperiment e(name, kCchPort, kCchPort, v6, vlan);
  REQUIRE(e.run());
  REQUIRE(e.wire->log.size() == 2 * 3 * 6);
  std::size_t echoes = 0;
  for (const Bytes& frame : e.wire->log) {
    const Unwrapped u = unwrap(frame);
    CHECK(u.had_header);
    CHECK(u.icrc_matches);
    CHECK(u.profile == profile);
    CHECK(u.hops == 0);
    echoes += (u.flags & CongestionHeader::kEcho) != 0;
  }
  CHECK(echoes == 3 * 6);
  CHECK(e.receiver->qp(0).responder().counters().messages == 3);
  CHECK(e.board->counters().rx_bad_cch + e.receiver->counters().rx_bad_cch == 0);
}

TEST_CASE("cch: without its header, a packet is the one that a board without headers sends", "[board][cch]") {
  HeaderExperiment with("swift", kCchPort, kCchPort), without("swift", 0, 0);
  REQUIRE(with.run());
  REQUIRE(without.run());
  REQUIRE(with.wire->log.size() == without.wire->log.size());
  for (std::size_t i = 0; i < with.wire->log.size(); ++i) {
    const Unwrapped a = unwrap(with.wire->log[i]), b = unwrap(without.wire->log[i]);
    CHECK(a.had_header);
    CHECK_FALSE(b.had_header);
    CHECK(a.datagram == b.datagram);
  }
}

TEST_CASE("cch: an algorithm without header sends standard packets", "[board][cch]") {
  HeaderExperiment e("timely", kCchPort, kCchPort);
  REQUIRE(e.run());
  for (const Bytes& frame : e.wire->log) CHECK_FALSE(unwrap(frame).had_header);
}

TEST_CASE("cch: a receiver without headers ignores such packets", "[board][cch]") {
  HeaderExperiment e("swift", kCchPort, 0);
  e.board->start(0);
  e.wire->run_until(kMillisecond);
  CHECK(e.receiver->counters().rx_roce == 0);
  CHECK(e.receiver->counters().rx_other == e.receiver->counters().rx_frames);
}

TEST_CASE("cch: wrong headers are dropped and counted", "[board][cch]") {
  HeaderExperiment e("swift", kCchPort, kCchPort);
  REQUIRE(e.run());
  const Bytes good = e.wire->log.front();
  constexpr std::size_t kCch = 14 + 20 + 8;
  const auto inject = [&](auto change) {
    Bytes frame = good;
    change(frame);
    const std::uint64_t before = e.receiver->counters().rx_bad_cch;
    e.wire->inject(ByteSpan(frame));
    return e.receiver->counters().rx_bad_cch - before;
  };
  CHECK(inject([](Bytes&) {}) == 0);  // the unchanged frame is valid (a duplicate)
  CHECK(inject([](Bytes& f) { f[kCch + 9] ^= 1; }) == 1);
  CHECK(inject([](Bytes& f) { f[kCch + 2] = 16; }) == 1);
  CHECK(inject([](Bytes& f) { f[kCch] = 0x20; }) == 1);
  const std::uint64_t bad = e.receiver->counters().rx_bad_transport;
  // Only a requester may receive a header with the flag kEcho. The test adjusts the checksum to the changed
  // flag, so that the header remains otherwise valid.
  CHECK(inject([](Bytes& f) {
          f[kCch] |= CongestionHeader::kEcho;
          f[kCch + 4] = static_cast<std::uint8_t>(f[kCch + 4] - (CongestionHeader::kEcho));
        }) == 0);
  CHECK(e.receiver->counters().rx_bad_transport == bad + 1);
}
