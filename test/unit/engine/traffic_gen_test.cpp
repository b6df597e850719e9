// SPDX-License-Identifier: BSD-3-Clause
// Tests traffic generators, which are controlled by registers, and the streams of receivers, in virtual time.
#include "board/board_registers.hpp"
#include "board_builder.hpp"
#include "engine/snapshot.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

namespace softfeb::engine::traffic_gen_test {

using board::TrafficGenSettings;
using detector::StreamReason;
using detector::StreamVerdict;

namespace {

constexpr std::uint32_t kBase = 0x8004'0000, kControl = kBase, kSize = kBase + 4, kCount = kBase + 8,
                        kGap = kBase + 0xc, kPort = kBase + 0x10, kStreams = kBase + 0x14, kIp = kBase + 0x18,
                        kMode = kBase + 0x1c, kSent = kBase + 0x20, kBusy = kBase + 0x24;
constexpr std::uint64_t kRate = 1'250'000'000;
constexpr Time kByte = 800;  ///< time of a byte at 10 Gb/s
constexpr std::uint32_t kQps = 4, kSlotBytes = 9216, kSlots = 8;

/// A board with a traffic generator and its registers, and a receiver with streams.
struct Generator {
  struct Packet {
    Time at = 0;
    std::uint32_t wire = 0;  ///< bytes on the wire, with FCS, preamble and inter-packet gap
    test::Bytes bytes;
  };

  explicit Generator(std::uint32_t qps = kQps)
      : payload(board::make_test_pattern(TrafficGenSettings::kLongest)),
        unused(test::FilledPayload::counter(kSlotBytes, 1024)),
        memory(std::size_t{kSlots} * kSlotBytes * kQps) {
    test::BoardBuilder from(test::identity(1));
    test::ReceiverBuilder to(test::identity(2));
    from.config.link_rate = kRate;
    from.config.link_slack = 0;
    from.config.traffic_gen = TrafficGenConfig{.qps = qps,
                                               .payload = payload.source.get(),
                                               .path = test::path(test::identity(1), test::identity(1)),
                                               .largest_datagram = 8972,
                                               .rate = kRate};
    for (std::uint32_t i = 0; i < qps; ++i) {
      SendQpConfig& qp = from.qp(to.config.identity, *unused, 4096);
      qp.payload = payload.source.get();
      qp.traffic.messages = 0;
      qp.traffic.slots = kSlots;
      qp.requester.window_requests = qp.requester.send_queue_depth = 64;
      to.qp(qp, MutableByteSpan(memory).subspan(std::size_t{i} * kSlots * kSlotBytes, kSlots * kSlotBytes))
          .qp.check_continuity = true;
    }
    to.config.streams = StreamReceiverConfig{.buffers = {.first_port = 6000, .streams = 4}};
    board = from.build();
    receiver = to.build();
    board::BoardRegistersConfig r;
    r.profile = board::find_profile("softfeb-2026.12");
    r.traffic_gens = {TrafficGenSettings{}};
    registers = std::make_unique<board::BoardRegisters>(r);
    wire = std::make_unique<test::Wire>(std::vector<Endpoint*>{board.get(), receiver.get()});
    wire->tap = [this](Endpoint& e, const TxFrame& f) {
      if (&e == board.get() && f.payload_length != 0)
        packets.push_back({wire->now, f.length() + roce::kWireOverhead, test::bytes_of(f)});
      return true;
    };
    board->start(0);
  }

  void set(std::uint32_t address, std::uint32_t value) {
    std::array<std::uint8_t, 4> word;
    store_le32(word.data(), value);
    board::Actions actions;
    REQUIRE(registers->write(address, word, live(), wire->now, actions).status == board::AccessStatus::kOk);
    for (const board::DataPathAction& a : actions.data_path) board->apply(a, wire->now);
  }
  std::uint32_t get(std::uint32_t address) {
    std::array<std::uint8_t, 4> word;
    REQUIRE(registers->read(address, word, live(), wire->now).status == board::AccessStatus::kOk);
    return load_le32(word.data());
  }
  board::LiveState live() const {
    board::LiveState state;
    board->observe(state.data, wire->now);
    return state;
  }
  void send_udp(std::uint32_t size, std::uint32_t count, std::uint32_t gap) {
    set(kMode, 1);
    set(kIp, 0x0a000002);
    set(kStreams, 4);
    send(size, count, gap);
  }
  void send(std::uint32_t size, std::uint32_t count, std::uint32_t gap) {
    set(kSize, size);
    set(kCount, count);
    set(kGap, gap);
    set(kControl, 0);
    set(kControl, 1);
  }
  void check_gaps(Time gap) const {
    for (std::size_t i = 1; i < packets.size(); ++i) {
      CAPTURE(i);
      const Packet& before = packets[i - 1];
      REQUIRE(packets[i].at == before.at + before.wire * kByte + gap);
    }
  }

  test::FilledPayload payload, unused;
  std::vector<std::uint8_t> memory;
  std::unique_ptr<Board> board;
  std::unique_ptr<Receiver> receiver;
  std::unique_ptr<board::BoardRegisters> registers;
  std::unique_ptr<test::Wire> wire;
  std::vector<Packet> packets;
};

std::uint16_t dest_port(const Generator::Packet& p) { return load_be16(&p.bytes[14 + 20 + 2]); }

}  // namespace

TEST_CASE("registers send a thousand datagrams with exact gaps", "[traffic-gen]") {
  const auto [size, gap] = GENERATE(std::pair{1024U, 100U}, std::pair{1U, 7U}, std::pair{8972U, 0U});
  CAPTURE(size, gap);
  Generator g;
  g.send_udp(size, 1000, gap);
  CHECK(g.get(kBusy) == 1);
  g.wire->run_until(20 * kMillisecond);
  REQUIRE(g.packets.size() == 1000);
  CHECK(g.get(kSent) == 1000);
  CHECK(g.get(kBusy) == 0);
  // Count frames that are shorter than 84 bytes on the wire as 84 bytes, which the shortest frame occupies.
  for (auto& p : g.packets) p.wire = std::max(p.wire, 84U);
  g.check_gaps(gap * 6'400);
  for (std::size_t i = 0; i < g.packets.size(); ++i) {
    REQUIRE(dest_port(g.packets[i]) == 6000 + i % 4);
    REQUIRE(g.packets[i].bytes.size() == 42 + size);
    REQUIRE(g.packets[i].bytes[42 + size - 1] == static_cast<std::uint8_t>(i + size - 1));
  }
  const auto& counts = g.receiver->streams()->buffers().counts();
  CHECK(counts[StreamVerdict::kAppended] == 1000);
  CHECK(counts.bytes == 1000 * size);
  CHECK(g.receiver->counters().rx_datagrams == 1000);
  // The board requested the MAC address only once, when the burst began.
  CHECK(g.board->host().counters().arp_requests_tx == 1);
}

TEST_CASE("registers send a thousand WRITEs with exact gaps", "[traffic-gen]") {
  const auto [size, gap] = GENERATE(std::pair{256U, 100U}, std::pair{1023U, 0U}, std::pair{4096U, 50U});
  CAPTURE(size, gap);
  Generator g;
  g.set(kStreams, 4);
  g.send(size, 1000, gap);
  g.wire->run_until(20 * kMillisecond);
  REQUIRE(g.packets.size() == 1000);
  CHECK(g.get(kSent) == 1000);
  g.check_gaps(gap * 6'400);
  for (std::uint32_t i = 0; i < kQps; ++i) {
    CHECK(g.receiver->qp(i).responder().counters().messages == 250);
    CHECK(g.receiver->qp(i).bytes_wrong() == 0);
    CHECK(g.receiver->qp(i).continuity().checked() != 0);
  }
}

TEST_CASE("WRITEs longer than the path MTU have the gap behind their last packet", "[traffic-gen]") {
  Generator g;
  g.send(8972, 10, 1000);
  g.wire->run_until(kMillisecond);
  REQUIRE(g.packets.size() == 30);
  for (std::size_t i = 3; i < 30; i += 3) {
    const auto& last = g.packets[i - 1];
    REQUIRE(g.packets[i].at == last.at + last.wire * kByte + 6'400'000);
  }
}

TEST_CASE("a WRITE waits for the window, and the gap counts from it", "[traffic-gen]") {
  Generator g(1);
  g.wire->delay = 50 * kMicrosecond;
  g.send(256, 200, 10);
  g.wire->run_until(10 * kMillisecond);
  REQUIRE(g.packets.size() == 200);
  for (std::size_t i = 1; i < g.packets.size(); ++i)
    REQUIRE(g.packets[i].at >= g.packets[i - 1].at + g.packets[i - 1].wire * kByte + 64'000);
  CHECK(g.packets[64].at == g.packets[0].at + 2 * g.wire->delay);
}

TEST_CASE("writes to registers apply to the rest of a burst", "[traffic-gen]") {
  Generator g;
  g.send_udp(100, 0, 1000);
  g.wire->run_until(100 * kMicrosecond);
  const std::uint32_t sent = g.get(kSent);
  CHECK(sent > 5);
  CHECK(g.get(kBusy) == 1);
  g.set(kControl, 1);  // no edge, because the bit is already set
  g.set(kSize, 20'000);
  CHECK(g.get(kSize) == 3616);  // the register has 14 bits
  g.set(kSize, 9000);
  CHECK(g.get(kSize) == 8972);
  g.set(kPort, 7000);
  g.wire->run_until(120 * kMicrosecond);
  CHECK(g.packets.back().bytes.size() == 42 + 8972);
  CHECK(dest_port(g.packets.back()) >= 7000);
  // the burst stops, because the generator has already sent more packets than the new count
  g.set(kCount, sent);
  CHECK(g.get(kBusy) == 0);
  CHECK(g.receiver->streams()->buffers().counts()[StreamVerdict::kOtherPort] > 0);
  g.set(kCount, 0);
  g.set(kControl, 0);
  g.set(kControl, 1);
  CHECK(g.get(kSent) == 0);
  CHECK(g.get(kBusy) == 1);
  g.set(kControl, 2);
  CHECK(g.get(kBusy) == 0);
  g.set(kControl, 0);
  g.set(kControl, 3);  // sets both Start and Stop; Stop takes precedence
  CHECK(g.get(kBusy) == 0);
  CHECK(g.board->traffic_gen()->counters().bursts == 2);
}

TEST_CASE("without queue pairs or a destination there is no traffic", "[traffic-gen]") {
  Generator g(0);
  g.send(100, 10, 0);
  CHECK(g.get(kBusy) == 0);
  CHECK(g.board->traffic_gen()->counters().bursts == 0);
  g.set(kMode, 1);
  g.send(100, 10, 0);
  g.wire->run_until(kMillisecond);
  CHECK(g.packets.empty());
  CHECK(g.get(kBusy) == 1);  // the generator waits for a destination
  g.set(kIp, 0x0a000009);    // a host that does not exist
  g.wire->run_until(3 * kSecond);
  CHECK(g.packets.empty());
  CHECK(g.board->unresolved() == 1);
  CHECK(g.board->host().counters().arp_requests_tx == 3);
  g.set(kIp, 0x0a000002);
  g.wire->run_until(g.wire->now + kMillisecond);
  CHECK(g.packets.size() == 10);
  CHECK(g.board->unresolved() == 0);
}

TEST_CASE("a board has finished when the burst with which it started has", "[traffic-gen]") {
  const auto payload = test::FilledPayload(board::make_test_pattern());
  test::BoardBuilder from(test::identity(1));
  from.config.traffic_gen = TrafficGenConfig{.start = true,
                                             .payload = payload.source.get(),
                                             .path = test::path(test::identity(1), test::identity(1))};
  from.config.traffic_gen->settings.mode = TrafficGenSettings::Mode::kUdp;
  from.config.traffic_gen->settings.packet_count = 2;
  from.config.traffic_gen->settings.dest_ip = 0x0a000002;
  const auto board = from.build();
  board->host().neighbours().set_static(test::identity(2).ip, test::identity(2).mac);
  test::Wire wire({board.get()});
  CHECK_FALSE(board->finished());
  board->start(0);
  CHECK_FALSE(board->finished());
  EndpointSnapshot snapshot = make_snapshot(*board);
  const auto running = [&] {
    take_snapshot(*board, snapshot, 0, 1, wire.now);
    return snapshot.traffic_gen_running;
  };
  CHECK(running());
  wire.run_until(kMillisecond);
  CHECK(board->finished());
  CHECK_FALSE(running());
  CHECK(snapshot.traffic_gen->datagrams == 2);
  CHECK(board->counters().tx_frames == 2);
  from.config.traffic_gen->start = false;
  // If registers may start the generator, the board does not finish.
  from.config.traffic_gen->waits = true;
  const auto waits = from.build();
  waits->start(0);
  CHECK_FALSE(waits->finished());
  waits->stop_traffic(0);
  CHECK(waits->finished());
}

TEST_CASE("only the ports of the board have generators", "[traffic-gen]") {
  Generator g;
  std::array<std::uint8_t, 4> word;
  CHECK(g.registers->read(kBase + 0x1000, word, g.live(), 0).status == board::AccessStatus::kDecodeError);
  board::BoardRegistersConfig r;
  r.profile = board::find_profile("softfeb-2026.12");
  r.traffic_gens.resize(4);
  r.traffic_gens[2].packet_size = 77;
  board::BoardRegisters four(r);
  CHECK(four.port_at(kBase + 0x2004) == 2);
  CHECK(four.port_at(0x8003'0f00) == 0);
  REQUIRE(four.read(kBase + 0x2004, word, g.live(), 0).status == board::AccessStatus::kOk);
  CHECK(load_le32(word.data()) == 77);
  r.traffic_gens.resize(5);
  CHECK_THROWS_AS(board::BoardRegisters(r), std::invalid_argument);
}

TEST_CASE("a consumer that keeps buffers loses datagrams", "[traffic-gen][streams]") {
  StreamReceiverConfig config{.buffers = {.streams = 1, .buffers = 2, .size = 100},
                              .hold = 10 * kMicrosecond};
  StreamReceiver streams(config);
  const std::vector<std::uint8_t> data(100);
  roce::ParsedFrame frame;
  frame.dest_port = 6000;
  frame.content = Segments(ByteSpan(data));
  for (Time t = 0; t < 60 * kMicrosecond; t += kMicrosecond) CHECK(streams.datagram(t, frame));
  const auto& counts = streams.buffers().counts();
  // Each datagram closes the buffer of the previous datagram. A closed buffer becomes free 10 us later.
  CHECK(counts[StreamVerdict::kAppended] + counts[StreamVerdict::kNoBuffer] == 60);
  CHECK(counts[StreamVerdict::kAppended] == 12);
  frame.dest_port = 6001;
  CHECK_FALSE(streams.datagram(kMillisecond, frame));
  config.hold = 0;
  StreamReceiver quick(config);
  frame.dest_port = 6000;
  for (Time t = 0; t < 60 * kMicrosecond; t += kMicrosecond) quick.datagram(t, frame);
  CHECK(quick.buffers().counts()[StreamVerdict::kAppended] == 60);
  quick.finish(kSecond);
  CHECK(quick.recorded().size() == 60);
  CHECK(quick.recorded().back().reason == StreamReason::kTimeout);
}

}  // namespace softfeb::engine::traffic_gen_test
