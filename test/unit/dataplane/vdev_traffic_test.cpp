// SPDX-License-Identifier: BSD-3-Clause
// Tests devices whose two ends can be used by one process. Frames that one end sends, with attached or copied
// payload, must arrive unchanged at the other end.
#include "dataplane/path_mtu.hpp"
#include "dpdk_rig.hpp"
#include "mbufs.hpp"
#include "roce_frame.hpp"
#include "temporary_directory.hpp"

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

constexpr std::size_t kHeader = 70;  // bytes from the Ethernet header to the RETH

test::RigPortConfig vdev(const std::string& device) {
  test::RigPortConfig config{.device = device};
  config.port.mtu = 4180;
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

void send(TxBuilder& builder, Arena& arena, const Port& port, const test::Bytes& bytes) {
  const MutableByteSpan payload = arena.bytes().first(bytes.size() - kHeader - 4);
  std::copy(bytes.begin() + kHeader, bytes.end() - 4, payload.begin());
  const ByteSpan all(bytes);
  rte_mbuf* packet = test::built(builder, all.first(kHeader), payload, all.last(4));
  REQUIRE(packet != nullptr);
  REQUIRE(packet->pkt_len == bytes.size());
  REQUIRE(within_seconds(2, [&] { return rte_eth_tx_burst(port.id(), 0, &packet, 1) == 1; }));
}

/// Sends frames one at a time, because each frame overwrites the payload of the previous one in the arena.
void carry_all(const Port& from, const Port& to, std::uint32_t longest, test::DpdkRig& rig) {
  for (const bool attach : {true, false}) {
    if (attach && !from.capabilities().multi_segments) continue;
    CAPTURE(attach, from.capabilities().driver);
    TxBuilder builder = make_builder(from, attach, rig.arena, rig.pools);
    for (roce::Psn psn = 0; psn < 600; ++psn) {
      const auto bytes =
          test::roce_frame({false, false, psn % 3 == 0 ? longest : psn * 7 % longest, 0x11, psn});
      rte_mbuf* arrived = nullptr;
      // A memif server's transmit ring has free slots only after the client has polled.
      REQUIRE(rte_eth_rx_burst(to.id(), 0, &arrived, 1) == 0);
      send(builder, rig.arena, from, bytes);
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
  test::DpdkRig rig;
  const test::RigPort host(rig, vdev("net_vhost:" + socket));
  const test::RigPort guest(rig, vdev("net_virtio_user0,path=" + socket + ",mrg_rxbuf=1"));
  REQUIRE(within_seconds(5, [&] { return host.port().link().up; }));
  carry_all(host.port(), guest.port(), 4096, rig);
  carry_all(guest.port(), host.port(), 4096, rig);
}

TEST_CASE("memif carries full packets", "[dataplane][vdev]") {
  const test::TemporaryDirectory dir;
  const std::string text = "net_memif:" + (dir.path() / "m.sock").string();
  test::DpdkRig rig;
  const test::RigPort server(rig, vdev(text));
  const test::RigPort client(rig, vdev(text + ",client"));
  REQUIRE(within_seconds(5, [&] { return server.port().link().up && client.port().link().up; }));
  carry_all(client.port(), server.port(), 4096, rig);
  carry_all(server.port(), client.port(), 4096, rig);
}

TEST_CASE("net_pcap writes all segments, as the device table says", "[dataplane][vdev]") {
  const test::TemporaryDirectory dir;
  const std::string file = (dir.path() / "o.pcap").string();
  const auto bytes = test::roce_frame({false, false, 4096});
  {
    test::DpdkRig rig;
    const test::RigPort port(rig, vdev("net_pcap:tx_pcap=" + file));
    REQUIRE(port.port().capabilities().multi_segments);
    TxBuilder builder = make_builder(port.port(), true, rig.arena, rig.pools);
    send(builder, rig.arena, port.port(), bytes);
    CHECK(builder.counters().external == 1);
  }
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> written{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(written.size() == 24 + 16 + bytes.size());
  CHECK(std::equal(bytes.begin(), bytes.end(), written.begin() + 40));
}
