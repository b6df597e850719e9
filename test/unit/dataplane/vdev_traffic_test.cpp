// SPDX-License-Identifier: BSD-3-Clause
// Devices whose two ends can both be ours: frames sent by one end, attached or copied, arrive unchanged at
// the other.
#include "dataplane/port.hpp"
#include "dataplane/tx_builder.hpp"
#include "roce_frame.hpp"
#include "support.hpp"

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>
#include <unistd.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

constexpr std::size_t kHeader = 70;  // Ethernet to RETH

PortConfig small_vdev_port() {
  PortConfig config;
  config.rx_descriptors = config.tx_descriptors = 256;
  config.mtu = 4180;
  return config;
}

template <typename Done>
bool within_seconds(int seconds, Done&& done) {
  for (int i = 0; i < seconds * 1000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TxBuilder make_builder(const Port& port, bool attach, const Arena& arena, Mempools& pools) {
  TxBuilderConfig config;
  config.multi_segments = attach;
  config.frame_bytes = frame_bytes_for(port.mtu());
  config.descriptors = config.held = 256;
  return {config, &arena, pools};
}

void send(TxBuilder& builder, Arena& arena, const Port& port, const std::vector<std::uint8_t>& bytes) {
  std::array<TxBuilder::TxFrame, 1> frame;
  std::array<rte_mbuf*, 1> packet{};
  REQUIRE(builder.acquire(frame, packet) == 1);
  std::copy_n(bytes.begin(), kHeader, frame[0].header);
  frame[0].header_length = kHeader;
  const MutableByteSpan payload = arena.bytes().first(bytes.size() - kHeader - 4);
  std::copy(bytes.begin() + kHeader, bytes.end() - 4, payload.begin());
  frame[0].payload = payload.data();
  frame[0].payload_length = static_cast<std::uint32_t>(payload.size());
  std::copy(bytes.end() - 4, bytes.end(), frame[0].trailer.begin());
  frame[0].trailer_length = 4;
  REQUIRE(builder.build(frame, packet) == 1);
  REQUIRE(within_seconds(2, [&] { return rte_eth_tx_burst(port.id(), 0, packet.data(), 1) == 1; }));
}

/// One at a time, so that the arena's bytes may be rewritten.
void carry_all(const Port& from, const Port& to, std::uint32_t longest, Arena& arena, Mempools& pools) {
  for (const bool attach : {true, false}) {
    if (attach && !from.capabilities().multi_segments) continue;
    CAPTURE(attach, from.capabilities().driver);
    TxBuilder builder = make_builder(from, attach, arena, pools);
    for (roce::Psn psn = 0; psn < 600; ++psn) {
      const auto bytes =
          test::roce_frame({false, false, psn % 3 == 0 ? longest : psn * 7 % longest, 0x11, psn});
      rte_mbuf* arrived = nullptr;
      // A memif server's transmit ring has free slots only after the client has polled.
      REQUIRE(rte_eth_rx_burst(to.id(), 0, &arrived, 1) == 0);
      send(builder, arena, from, bytes);
      REQUIRE(within_seconds(2, [&] { return rte_eth_rx_burst(to.id(), 0, &arrived, 1) == 1; }));
      const auto got = test::bytes_of(arrived);
      rte_pktmbuf_free(arrived);
      REQUIRE(got == bytes);
    }
    CHECK((builder.counters().external != 0) == attach);
  }
}

}  // namespace

TEST_CASE("vhost-user carries full packets without a guest", "[dataplane][vdev]") {
  const test::TemporaryDirectory dir;
  const std::string socket = (dir.path() / "vu.sock").string();
  Mempools pools;
  Arena arena(1U << 16);
  DeviceFactory factory;
  const auto host_device = factory.attach(parse_device("net_vhost:" + socket), {1, 4200, 256});
  const Port host(*host_device, small_vdev_port(), pools);
  const auto guest_device =
      factory.attach(parse_device("net_virtio_user0,path=" + socket + ",mrg_rxbuf=1"), {1, 4200, 256});
  const Port guest(*guest_device, small_vdev_port(), pools);
  REQUIRE(within_seconds(5, [&] { return host.link().up; }));
  carry_all(host, guest, 4096, arena, pools);
  carry_all(guest, host, 4096, arena, pools);
}

TEST_CASE("memif carries full packets", "[dataplane][vdev]") {
  const test::TemporaryDirectory dir;
  const std::string text = "net_memif:" + (dir.path() / "m.sock").string();
  Mempools pools;
  Arena arena(1U << 16);
  DeviceFactory factory;
  const auto server_device = factory.attach(parse_device(text), {1, 4200, 256});
  const Port server(*server_device, small_vdev_port(), pools);
  const auto client_device = factory.attach(parse_device(text + ",client"), {1, 4200, 256});
  const Port client(*client_device, small_vdev_port(), pools);
  REQUIRE(within_seconds(5, [&] { return server.link().up && client.link().up; }));
  carry_all(client, server, 4096, arena, pools);
  carry_all(server, client, 4096, arena, pools);
}

TEST_CASE("net_pcap writes all segments, as the device table says", "[dataplane][vdev]") {
  const test::TemporaryDirectory dir;
  const std::string file = (dir.path() / "o.pcap").string();
  const auto bytes = test::roce_frame({false, false, 4096});
  {
    Mempools pools;
    Arena arena(1U << 16);
    DeviceFactory factory;
    const auto device = factory.attach(parse_device("net_pcap:tx_pcap=" + file), {1, 4200, 256});
    const Port port(*device, small_vdev_port(), pools);
    REQUIRE(port.capabilities().multi_segments);
    TxBuilder builder = make_builder(port, true, arena, pools);
    send(builder, arena, port, bytes);
    CHECK(builder.counters().external == 1);
  }
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> written{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(written.size() == 24 + 16 + bytes.size());
  CHECK(std::equal(bytes.begin(), bytes.end(), written.begin() + 40));
}
