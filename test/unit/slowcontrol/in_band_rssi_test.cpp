// SPDX-License-Identifier: BSD-3-Clause
// Tests RSSI between a client on the wire and a board's server, through port queue, rings and frames, in
// virtual time.
#include "in_band_fixture.hpp"
#include "roce/frame.hpp"
#include "slowcontrol/control_link.hpp"
#include "srp/rssi_client.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::slowcontrol;
using test::Bytes;
using test::InBandFixture;
using test::tagged_identity;

namespace {

/// A user of an RSSI link. Stores the payloads that arrive. If `echo` is set, also sends them back, and
/// refuses a payload if the link cannot send it.
class User final : public srp::RssiUser {
 public:
  void on_open(Time) override { ++opened; }
  void on_close(srp::RssiClose, Time) override {}
  bool on_segment(ByteSpan payload, Time now) override {
    if (echo != nullptr && !echo->send(payload, now)) return false;
    segments.emplace_back(payload.begin(), payload.end());
    return true;
  }
  void on_room(Time now) override {
    if (echo != nullptr) echo->resume(now);
  }

  srp::RssiLink* echo = nullptr;
  std::vector<Bytes> segments;
  int opened = 0;
};

/// The client's transmit path. It puts frames on the wire, but drops every eleventh frame.
class Wire final : public srp::DatagramSink {
 public:
  explicit Wire(InBandFixture& bench) : bench_(bench) {}
  void send(const srp::UdpPeer& to, ByteSpan datagram) override {
    if (lossy() == false) bench_.send(tagged_identity(2), datagram, to.port);
  }
  bool lossy() { return ++frames_ % 11 == 0; }

 private:
  InBandFixture& bench_;
  unsigned frames_ = 0;
};

}  // namespace

TEST_CASE("an RSSI connection through a port queue, with losses", "[slowcontrol][in-band]") {
  InBandFixture bench;
  InBandLink& way = bench.serve();
  User board;
  srp::RssiServerConfig config;
  config.local = srp::kFirmwareStream;
  config.local.max_segment = static_cast<std::uint16_t>(std::min<std::size_t>(8192, way.max_datagram()));
  ControlLink link(config, board, nullptr);
  link.serve(way);
  srp::RssiServer& server = link.server();
  board.echo = &server;

  User user;
  Wire wire(bench);
  const srp::UdpPeer address{tagged_identity(1).ip, 8192};
  srp::RssiClient client({}, address, wire, user);
  client.connect(bench.now);

  Rng rng(3);
  std::vector<Bytes> sent;
  const auto turn = [&] {
    bench.now += kMillisecond;
    if (client.deadline() <= bench.now) client.on_timer(bench.now);
    link.run_timers(bench.now);
    bench.in_band->poll(bench.now);
    for (int i = 0; i < 8; ++i) bench.port_queue->run(bench.now);
    bench.receive();
    for (const Bytes& frame : bench.arrived) {
      const roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame));
      if (f.kind != roce::FrameKind::kUdp || wire.lossy()) continue;
      Bytes content(f.content.size());
      f.content.copy(0, content.size(), content.data());
      client.on_datagram({f.source_ip, f.source_port}, content, bench.now);
    }
    bench.arrived.clear();
  };
  for (int t = 0; t < 20'000 && user.segments.size() < 300; ++t) {
    while (sent.size() < 300 && client.open() && client.room() != 0) {
      sent.push_back(test::random_bytes(rng, 1 + rng.below(client.max_payload())));
      REQUIRE(client.send(sent.back(), bench.now));
    }
    turn();
  }
  CHECK(user.opened == 1);
  CHECK(board.opened == 1);
  CHECK(link.in_band());
  CHECK(server.status().retransmitted > 0);
  CHECK(board.segments == sent);
  CHECK(user.segments == sent);
  const auto longest = std::max_element(sent.begin(), sent.end(),
                                        [](const Bytes& a, const Bytes& b) { return a.size() < b.size(); });
  CHECK(longest->size() > 1000);
  client.close(bench.now);
  turn();
  CHECK_FALSE(server.open());
  REQUIRE(link.history().kept().size() == 1);
  CHECK(link.history().kept()[0].in_band);
}
