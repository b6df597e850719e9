// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/prober.hpp"

#include "answer_frames.hpp"
#include "conformance/virtual_run.hpp"
#include "frames.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

using Bytes = std::vector<std::uint8_t>;

engine::Identity station(std::uint8_t last, const char* ip) {
  return {.mac = {2, 0, 0, 0, 0, last}, .ip = *roce::IpAddress::parse(ip), .prefix_length = 24};
}

/// Returns the frames that the prober sends in one poll with room for `room` frames.
std::vector<Bytes> polled(Prober& prober, std::size_t room = 32) {
  std::vector<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>> rooms(room);
  std::vector<engine::TxFrame> out(room);
  for (std::size_t k = 0; k < room; ++k) out[k].header = rooms[k].data();
  const std::size_t n = prober.poll(0, out);
  std::vector<Bytes> frames;
  for (std::size_t k = 0; k < n; ++k) frames.push_back(test::bytes_of(out[k]));
  return frames;
}

void deliver(Prober& prober, const Bytes& frame) {
  const roce::ParsedFrame parsed = roce::parse_frame(Segments(ByteSpan(frame)));
  prober.receive(parsed, kMicrosecond);
}

roce::Path to_prober() {
  roce::Path path = test::answer_path();
  path.dest_mac = {2, 0, 0, 0, 0, 1};
  return path;
}

}  // namespace

TEST_CASE("frames are sent as they are, in order", "[prober]") {
  Prober prober(station(1, "10.0.0.1"));
  CHECK(prober.next_event(5) == kNever);
  const std::vector<Bytes> frames = {Bytes(1, 1),
                                     {},
                                     Bytes(engine::TxFrame::kHeaderRoom, 2),
                                     Bytes(engine::TxFrame::kHeaderRoom + 1, 3),
                                     Bytes(9000, 4)};
  for (const Bytes& frame : frames) prober.send(frame);
  CHECK(prober.waiting() == frames.size());
  CHECK(prober.next_event(5) == 5);
  std::vector<Bytes> sent = polled(prober, 3);
  CHECK(sent.size() == 3);
  for (Bytes& frame : polled(prober)) sent.push_back(std::move(frame));
  CHECK(sent == frames);
  CHECK(prober.waiting() == 0);
  CHECK(prober.counters().tx_frames == frames.size());
}

TEST_CASE("answers are kept with their frames", "[prober]") {
  Prober prober(station(1, "10.0.0.1"));
  const Bytes ack = test::ack_frame({.msn = 4}, 3, 0x11, to_prober());
  deliver(prober, ack);
  roce::Path tagged_path = to_prober();
  tagged_path.vlan = roce::VlanTag{.id = 7, .pcp = 3};
  const Bytes tagged = test::ack_frame({}, 5, 0x11, tagged_path);
  engine::Identity on_vlan_7 = station(1, "10.0.0.1");
  on_vlan_7.vlan = tagged_path.vlan;
  Prober on_vlan(on_vlan_7);
  deliver(on_vlan, tagged);
  const auto answers = prober.take_answers();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].frame == ack);
  CHECK(answers[0].aeth->msn == 4);
  CHECK(answers[0].at == kMicrosecond);
  CHECK(answers[0].source_ip == *roce::IpAddress::parse("10.0.0.2"));
  CHECK(prober.take_answers().empty());
  const auto with_tag = on_vlan.take_answers();
  REQUIRE(with_tag.size() == 1);
  CHECK(with_tag[0].frame == tagged);
}

TEST_CASE("a packet with a wrong iCRC is kept, one without BTH is not", "[prober]") {
  Prober prober(station(1, "10.0.0.1"));
  Bytes wrong = test::ack_frame({}, 3, 0x11, to_prober());
  wrong.back() ^= 1;
  deliver(prober, wrong);
  deliver(prober, test::answer_frame(Bytes(11), to_prober()));
  const auto answers = prober.take_answers();
  REQUIRE(answers.size() == 1);
  CHECK_FALSE(answers[0].icrc_right);
}

TEST_CASE("frames for other stations are not kept", "[prober]") {
  Prober prober(station(1, "10.0.0.1"));
  roce::Path path = to_prober();
  path.dest_mac = {2, 0, 0, 0, 0, 3};
  deliver(prober, test::ack_frame({}, 3, 0x11, path));
  roce::Path port = to_prober();
  port.udp_dest_port = 4790;
  deliver(prober, test::ack_frame({}, 3, 0x11, port));
  CHECK(prober.take_answers().empty());
}

TEST_CASE("a flood of answers fills a bounded store", "[prober]") {
  Prober prober(station(1, "10.0.0.1"));
  const Bytes ack = test::ack_frame({}, 3, 0x11, to_prober());
  const roce::ParsedFrame parsed = roce::parse_frame(Segments(ByteSpan(ack)));
  for (int k = 0; k < 70'000; ++k) prober.receive(parsed, 0);
  CHECK(prober.counters().rx_roce == 70'000);
  CHECK(prober.take_answers().size() == 65'536);
  prober.receive(parsed, 0);
  CHECK(prober.take_answers().size() == 1);
}

TEST_CASE("neighbours are asked for, and answered", "[prober]") {
  for (const bool v6 : {false, true}) {
    Prober a(station(1, v6 ? "fd00::1" : "10.0.0.1")), b(station(2, v6 ? "fd00::2" : "10.0.0.2"));
    VirtualWire wire(kMicrosecond);
    wire.add(a);
    wire.add(b);
    CHECK_FALSE(a.host().neighbours().find(b.identity().ip, 0));
    a.resolve(b.identity().ip);
    CHECK(a.next_event(0) == 0);
    for (Time now = 0; now < 10 * kMicrosecond; now += kMicrosecond) wire.run(now);
    CHECK(a.host().neighbours().find(b.identity().ip, 10 * kMicrosecond) == b.identity().mac);
    CHECK(b.host().neighbours().find(a.identity().ip, 10 * kMicrosecond) == a.identity().mac);
    CHECK(a.host().counters().arp_requests_tx == 1);
    CHECK(b.host().counters().arp_replies_tx == 1);
  }
}
