// SPDX-License-Identifier: BSD-3-Clause
// Tests an RSSI link that is reached by a socket, by the board's own address, or by both, in virtual time.
#include "slowcontrol/control_link.hpp"

#include "in_band_fixture.hpp"
#include "roce/frame.hpp"
#include "srp/rssi_client.hpp"

#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::slowcontrol;
using test::Bytes;
using test::InBandFixture;
using test::tagged_identity;

namespace {

class Silent final : public srp::RssiUser {
 public:
  void on_open(Time) override {}
  void on_close(srp::RssiClose, Time) override {}
  bool on_segment(ByteSpan, Time) override { return true; }
  void on_room(Time) override {}
};

/// Collects the frames that the in-band client sends.
class Frames final : public srp::DatagramSink {
 public:
  explicit Frames(InBandFixture& bench) : bench_(bench) {}
  void send(const srp::UdpPeer& to, ByteSpan datagram) override {
    bench_.send(tagged_identity(2), datagram, to.port);
  }

 private:
  InBandFixture& bench_;
};

roce::IpAddress loopback() { return *roce::IpAddress::parse("127.0.0.1"); }

/// A control link with both paths, a socket and in-band, and a client on each path.
struct LinkRig {
  InBandFixture bench;
  boost::asio::io_context io;
  Silent user, in_band_user, socket_user;
  std::vector<srp::RssiClosed> closed;
  ControlLink link{{}, user, [this](const srp::RssiClosed& c) { closed.push_back(c); }};
  std::uint16_t port = free_port();
  Frames frames{bench};
  srp::RssiClient in_band{{.reconnect = false}, {tagged_identity(1).ip, 8192}, frames, in_band_user};
  sockets::UdpClientSocket socket{io, {loopback(), port}, clock()};
  srp::RssiClient by_socket{{.reconnect = false}, {loopback(), port}, socket, socket_user};

  explicit LinkRig(bool allow = true) {
    link.serve(bench.serve());
    link.listen(
        io, loopback(), port, [allow](const roce::IpAddress&) { return allow; }, clock());
    socket.start(by_socket);
  }

  sockets::Clock clock() {
    return [this] { return bench.now; };
  }
  std::uint16_t free_port() {
    const sockets::UdpServerSocket any(io, loopback(), 0, {});
    return any.port();
  }

  void step() {
    bench.now += kMillisecond;
    for (int i = 0; i < 16; ++i) io.poll();
    if (in_band.deadline() <= bench.now) in_band.on_timer(bench.now);
    if (by_socket.deadline() <= bench.now) by_socket.on_timer(bench.now);
    link.run_timers(bench.now);
    bench.in_band->poll(bench.now);
    bench.port_queue->run(bench.now);
    bench.receive();
    for (const Bytes& frame : bench.arrived) {
      const roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame));
      if (f.kind != roce::FrameKind::kUdp) continue;
      Bytes content(f.content.size());
      f.content.copy(0, content.size(), content.data());
      in_band.on_datagram({f.source_ip, f.source_port}, content, bench.now);
    }
    bench.arrived.clear();
  }
  template <typename Condition>
  bool until(Condition condition) {
    for (int i = 0; i < 5000 && !condition(); ++i) step();
    return condition();
  }
};

}  // namespace

TEST_CASE("answers take the path their peer came by", "[slowcontrol][control-link]") {
  LinkRig rig;
  rig.in_band.connect(rig.bench.now);
  REQUIRE(rig.until([&] { return rig.in_band.open() && rig.link.server().open(); }));
  CHECK(rig.link.in_band());
  CHECK(rig.link.server().status().peer.ip == tagged_identity(2).ip);
  rig.in_band.close(rig.bench.now);
  REQUIRE(rig.until([&] { return !rig.link.server().open(); }));

  rig.by_socket.connect(rig.bench.now);
  REQUIRE(rig.until([&] { return rig.by_socket.open() && rig.link.server().open(); }));
  CHECK_FALSE(rig.link.in_band());
  rig.by_socket.close(rig.bench.now);
  REQUIRE(rig.until([&] { return !rig.link.server().open(); }));

  REQUIRE(rig.closed.size() == 2);
  CHECK(rig.closed[0].in_band);
  CHECK(rig.closed[0].why == srp::RssiClose::kByPeer);
  CHECK_FALSE(rig.closed[1].in_band);
  CHECK(rig.closed[1].unix_ns > 0);
  CHECK(rig.link.history().kept().size() == 2);
}

TEST_CASE("clients of both paths compete for one connection", "[slowcontrol][control-link]") {
  LinkRig rig;
  rig.in_band.connect(rig.bench.now);
  REQUIRE(rig.until([&] { return rig.link.server().open(); }));
  rig.bench.now += kMillisecond;
  rig.by_socket.connect(rig.bench.now);
  REQUIRE(rig.until([&] { return rig.by_socket.open(); }));
  CHECK_FALSE(rig.link.in_band());
  REQUIRE(rig.closed.size() == 1);
  CHECK(rig.closed[0].why == srp::RssiClose::kReplaced);
  CHECK(rig.closed[0].in_band);
}

TEST_CASE("after disconnect() no client is heard", "[slowcontrol][control-link]") {
  LinkRig rig;
  rig.link.disconnect();
  rig.in_band.connect(rig.bench.now);
  rig.by_socket.connect(rig.bench.now);
  for (int i = 0; i < 50; ++i) rig.step();
  CHECK_FALSE(rig.link.server().open());
  CHECK(rig.link.server().status().reconnects == 0);
  CHECK(rig.bench.in_band->counters().rx_unserved > 0);
}

TEST_CASE("refused datagrams are still counted after disconnect()", "[slowcontrol][control-link]") {
  LinkRig rig(false);
  rig.by_socket.connect(rig.bench.now);
  REQUIRE(rig.until([&] { return rig.link.refused() != 0; }));
  CHECK_FALSE(rig.link.server().open());
  const std::uint64_t refused = rig.link.refused();
  rig.link.disconnect();
  CHECK(rig.link.refused() == refused);
}
