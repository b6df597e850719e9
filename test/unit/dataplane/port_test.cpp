// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/port.hpp"

#include "dataplane/error.hpp"
#include "temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <rte_ethdev.h>

using namespace softfeb::dataplane;

TEST_CASE("path MTU that fits an interface", "[dataplane][mtu]") {
  CHECK(mtu_for(4096, false) == 4160);  // IPv4 20, UDP 8, BTH 12, RETH 16, immediate 4, iCRC 4
  CHECK(mtu_for(4096, true) == 4180);
  CHECK(max_path_mtu(1500, false) == 1024);
  CHECK(max_path_mtu(4159, false) == 2048);
  CHECK(max_path_mtu(4160, false) == 4096);
  CHECK(max_path_mtu(4160, true) == 2048);
  CHECK(max_path_mtu(9000, true) == 4096);
  CHECK(max_path_mtu(300, false) == 0);
}

TEST_CASE("a null port comes up and reports its capabilities", "[dataplane][port]") {
  Mempools pools;
  DeviceFactory factory;
  const auto device = factory.attach(parse_device("net_null"), {});
  PortConfig config;
  config.rx_descriptors = config.tx_descriptors = 64;
  const Port port(*device, config, pools);
  CHECK(port.capabilities().driver == "net_null");
  CHECK(port.capabilities().multi_segments);
  CHECK(port.largest_path_mtu(false) == 4096);
  CHECK(port.link().up);
  rte_mbuf* packet = nullptr;
  CHECK(rte_eth_rx_burst(port.id(), 0, &packet, 1) == 0);  // no packet has arrived
}

TEST_CASE("flow control: off if there is nothing to pause, otherwise errors are reported",
          "[dataplane][port]") {
  Mempools pools;
  DeviceFactory factory;
  const auto device = factory.attach(parse_device("net_null"), {});
  PortConfig config;
  config.rx_descriptors = config.tx_descriptors = 64;
  config.flow_control = FlowControl::kOff;
  CHECK(Port(*device, config, pools).flow_control().in_words == "off (net_null has none)");
  config.flow_control = FlowControl::kFull;
  CHECK_THROWS_WITH(Port(*device, config, pools),
                    Catch::Contains("no flow control") && Catch::Contains("leave or off"));
}

TEST_CASE("impossible ports are refused with a message", "[dataplane][port]") {
  Mempools pools;
  DeviceFactory factory;
  CHECK_THROWS_WITH(factory.attach(parse_device("net_af_packet:nowhere0"), {}),
                    Catch::Contains("no network interface nowhere0"));
  CHECK_THROWS_WITH(factory.attach(parse_device("net_vhost:/nowhere/x.sock"), {}),
                    Catch::Contains("mkdir -p /nowhere"));
  CHECK_THROWS_AS(factory.attach(parse_device("net_virtio_user0,path=/nowhere/x"), {}), EnvironmentError);

  const auto device = factory.attach(parse_device("net_null"), {});
  PortConfig config;
  config.queues = 0;
  CHECK_THROWS_AS(Port(*device, config, pools), EnvironmentError);
  const softfeb::test::TemporaryDirectory dir;
  const auto vhost = factory.attach(parse_device("net_vhost:" + (dir.path() / "vu.sock").string()), {});
  config.queues = 1;
  config.rx_held = 4'000'000;
  CHECK_THROWS_WITH(Port(*vhost, config, pools),
                    Catch::Contains("not enough memory for the receive buffers"));
}

TEST_CASE("a link has two ends with the same number of queues", "[dataplane][port]") {
  DeviceFactory factory;
  const DeviceSpec spec = parse_device("net_ring:pair");
  const auto a = factory.attach(spec, {2, 1518, 256});
  CHECK_THROWS_WITH(factory.attach(spec, {1, 1518, 256}), Catch::Contains("same number of queues"));
  const auto b = factory.attach(spec, {2, 1518, 256});
  CHECK(a->port_id() != b->port_id());
  CHECK_THROWS_WITH(factory.attach(spec, {2, 1518, 256}), Catch::Contains("two ends"));
}
