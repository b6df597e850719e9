// SPDX-License-Identifier: BSD-3-Clause
// Tests ports that end in the kernel: AF_PACKET on a veth pair, and a tap. Requires root.
#include "dataplane/flow_rules.hpp"
#include "dataplane/port.hpp"
#include "faults/location.hpp"
#include "mbufs.hpp"
#include "roce_frame.hpp"
#include "shell.hpp"

#include <array>
#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>
#include <unistd.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

/// A veth pair that exists as long as the object.
class VethPair {
 public:
  explicit VethPair(unsigned mtu) : a("sfa" + std::to_string(getpid())), b("sfb" + std::to_string(getpid())) {
    made_ = test::run("ip link add " + a + " type veth peer name " + b) == 0;
    for (const auto& name : {a, b}) {
      // Disable addresses, so that the kernel sends no packets itself.
      test::run("sysctl -qw net.ipv6.conf." + name + ".disable_ipv6=1");
      made_ = made_ && test::run("ip link set " + name + " mtu " + std::to_string(mtu) + " up") == 0;
    }
  }
  ~VethPair() { test::run("ip link del " + a); }
  VethPair(const VethPair&) = delete;
  VethPair& operator=(const VethPair&) = delete;
  bool made() const { return made_; }

  std::string a, b;

 private:
  bool made_ = false;
};

/// Returns the next RoCE packet of a queue. Waits up to two seconds.
rte_mbuf* receive_roce(std::uint16_t port, std::uint16_t queue) {
  for (int i = 0; i < 2000; ++i) {
    rte_mbuf* packet = nullptr;
    if (rte_eth_rx_burst(port, queue, &packet, 1) == 1) {
      if (faults::locate_roce({rte_pktmbuf_mtod(packet, const std::uint8_t*), packet->data_len}))
        return packet;
      rte_pktmbuf_free(packet);
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return nullptr;
}

/// Frees the packets that have arrived. They may come from other interfaces, because an AF_PACKET socket
/// receives from all interfaces until it is bound.
void drain(std::uint16_t port) {
  rte_mbuf* packet = nullptr;
  while (rte_eth_rx_burst(port, 0, &packet, 1) == 1) rte_pktmbuf_free(packet);
}

PortConfig small_port() {
  PortConfig config;
  config.rx_descriptors = config.tx_descriptors = 128;
  config.rx_held = 64;
  return config;
}

}  // namespace

TEST_CASE("AF_PACKET on a veth pair carries full packets both ways, attached and copied",
          "[dataplane][kernel]") {
  if (geteuid() != 0) {
    WARN("skipped: AF_PACKET and veth need root");
    return;
  }
  const VethPair veth(4200);
  if (!veth.made()) {
    WARN("skipped: no veth pair can be made here");
    return;
  }
  Mempools pools;
  Arena arena(1U << 20);
  DeviceFactory factory;
  const DeviceRequest request{1, frame_bytes_for(4200), 128};
  const auto device_a = factory.attach(parse_device("net_af_packet:" + veth.a), request);
  const auto device_b = factory.attach(parse_device("net_af_packet:" + veth.b), request);
  PortConfig config = small_port();
  config.promiscuous = Promiscuous::kOn;
  const Port a(*device_a, config, pools);
  const Port b(*device_b, config, pools);
  CHECK(a.mtu() == 4200);  // MTU of the kernel interface; the driver itself reports 1500
  CHECK(a.largest_path_mtu(false) == 4096);
  CHECK(a.warnings().empty());

  // Older versions of the driver net_af_packet send only the first segment of a chain. With these,
  // multi_segments is false, and the test sends no chains.
  TxBuilderConfig tx;
  tx.multi_segments = a.capabilities().multi_segments && GENERATE(true, false);
  tx.frame_bytes = frame_bytes_for(4200);
  tx.descriptors = tx.held = 128;
  TxBuilder builder(tx, &arena, pools);
  const Port* ends[2] = {&a, &b};
  for (const Port* end : ends) drain(end->id());
  for (roce::Psn psn = 0; psn < 100; ++psn) {
    const auto bytes =
        test::roce_frame({psn % 2 == 1, psn % 4 < 2, psn % 3 == 0 ? 4096 : psn * 8, 0x11, psn});
    const std::size_t header = 50;
    const MutableByteSpan payload = arena.bytes().first(bytes.size() - header);
    std::copy(bytes.begin() + header, bytes.end(), payload.begin());
    rte_mbuf* const packet = test::built(builder, ByteSpan(bytes).first(header), payload, {});
    REQUIRE(packet != nullptr);
    REQUIRE(packet->pkt_len >= bytes.size());
    REQUIRE(test::send(ends[psn & 1]->id(), packet));
    rte_mbuf* arrived = receive_roce(ends[1 - (psn & 1)]->id(), 0);
    REQUIRE(arrived != nullptr);
    CHECK(test::bytes_of(arrived) == bytes);
    rte_pktmbuf_free(arrived);
  }
}

TEST_CASE("a small kernel MTU is reported with the command that raises it", "[dataplane][kernel]") {
  if (geteuid() != 0) {
    WARN("skipped: AF_PACKET and veth need root");
    return;
  }
  const VethPair veth(1500);
  if (!veth.made()) {
    WARN("skipped: no veth pair can be made here");
    return;
  }
  Mempools pools;
  DeviceFactory factory;
  const auto device =
      factory.attach(parse_device("net_af_packet:" + veth.a), {1, frame_bytes_for(4200), 128});
  PortConfig config = small_port();
  config.mtu = 4200;
  const Port port(*device, config, pools);
  CHECK(port.largest_path_mtu(false) == 1024);
  REQUIRE(port.warnings().size() == 1);
  CHECK_THAT(port.warnings()[0], Catch::Contains("ip link set " + veth.a + " mtu 4200"));
}

TEST_CASE("a tap accepts the rules of T2", "[dataplane][kernel][steering]") {
  if (geteuid() != 0 || access("/dev/net/tun", R_OK | W_OK) != 0) {
    WARN("skipped: a tap needs root and /dev/net/tun");
    return;
  }
  Mempools pools;
  DeviceFactory factory;
  const std::string name = "sft" + std::to_string(getpid());
  const auto device = factory.attach(parse_device("net_tap:" + name), {2, 1518, 128});
  PortConfig config = small_port();
  config.queues = 2;
  config.mtu = 4200;
  const Port port(*device, config, pools);
  CHECK(port.largest_path_mtu(false) ==
        1024);  // net_tap cannot send jumbo frames, whatever the interface's MTU is
  REQUIRE_FALSE(port.warnings().empty());
  CHECK_THAT(port.warnings()[0], Catch::Contains("supports no larger MTU"));
  const std::vector<SteeredBoard> boards{{{}, *roce::IpAddress::parse("10.0.0.1"), {0x11}, 0},
                                         {{}, *roce::IpAddress::parse("10.0.0.2"), {0x11}, 1}};
  const FlowRules rules(port.id(), SteeringTier::kBth, 2, boards);
  INFO(rules.choice().reason);
  CHECK_THAT(rules.choice().reason, Catch::Contains("no T3"));
  if (rules.choice().tier == SteeringTier::kSoftware) {
    WARN("this kernel's tap takes no rules: " << rules.choice().reason);
    return;
  }
  CHECK(rules.choice().tier == SteeringTier::kUdp);
}
