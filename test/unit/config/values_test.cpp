// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/error.hpp"
#include "config/port_config.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::config;

TEST_CASE("addresses that are not a host's are refused") {
  for (const char* text : {"10.0.0", "10.0.0.256", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1",
                           "host", "", "10.0.0.1 "}) {
    INFO(text);
    CHECK_FALSE(parse_ip(text).value);
  }
  for (const char* text : {"02:00:00:00:00", "03:00:00:00:00:01", "00:00:00:00:00:00", "02-00-00-00-00-01",
                           "02:00:00:00:00:0g", ""}) {
    INFO(text);
    CHECK_FALSE(parse_mac(text).value);
  }
  CHECK(parse_ip_prefix("10.0.0.1").fix == "write 10.0.0.1/24");
  CHECK_FALSE(parse_ip_prefix("10.0.0.1/33").value);
  CHECK_FALSE(parse_ip_prefix("10.0.0.1/").value);
  CHECK(parse_ip_prefix("fd00::1/64").value->length == 64);
}

TEST_CASE("addresses count up and do not wrap") {
  CHECK(to_string(*add(*parse_ip("10.0.0.255").value, 2)) == "10.0.1.1");
  CHECK(to_string(*add(*parse_ip("fd00::ffff").value, 1)) == "fd00::1:0");
  CHECK_FALSE(add(*parse_ip("10.0.0.1").value, 0xffff'ffff));
  CHECK(to_string(*add(*parse_mac("02:00:00:00:00:ff").value, 1)) == "02:00:00:00:01:00");
  CHECK_FALSE(add(*parse_mac("02:00:00:ff:ff:ff").value, 1));
}

TEST_CASE("prefixes") {
  const auto a = *parse_ip("10.0.1.1").value;
  CHECK(same_prefix(a, *parse_ip("10.0.0.9").value, 23));
  CHECK_FALSE(same_prefix(a, *parse_ip("10.0.0.9").value, 24));
  CHECK_FALSE(same_prefix(a, *parse_ip("fd00::1").value, 1));
  CHECK(same_prefix(*parse_ip("fd00::1").value, *parse_ip("fd00::2").value, 64));
  CHECK_FALSE(same_prefix(*parse_ip("fd00::1").value, *parse_ip("fd01::1").value, 64));
}

TEST_CASE("device texts") {
  const struct {
    const char* text;
    DeviceKind kind;
    const char* name;
  } rows[] = {{"net_null", DeviceKind::kNull, ""},
              {"net_null,copy=1", DeviceKind::kNull, ""},
              {"net_ring:link", DeviceKind::kRing, "link"},
              {"net_memif:/run/m.sock,client", DeviceKind::kMemif, "/run/m.sock"},
              {"net_pcap:tx_pcap=o.pcap,rx_pcap=i.pcap", DeviceKind::kPcap, "tx_pcap=o.pcap"},
              {"net_af_packet:eth0", DeviceKind::kAfPacket, "eth0"},
              {"net_tap:feb0", DeviceKind::kTap, "feb0"},
              {"net_vhost:/tmp/v.sock,server", DeviceKind::kVhost, "/tmp/v.sock"},
              {"0000:03:00.0", DeviceKind::kPci, "0000:03:00.0"},
              {"03:00.1,dv_flow_en=2", DeviceKind::kPci, "03:00.1"},
              {"net_virtio_user0,path=/x", DeviceKind::kRaw, "net_virtio_user0"},
              {"eth_af_xdp0,iface=eth1", DeviceKind::kRaw, "eth_af_xdp0"},
              {"auxiliary:mlx5_core.sf.2", DeviceKind::kRaw, "auxiliary:mlx5_core.sf.2"}};
  for (const auto& row : rows) {
    INFO(row.text);
    const auto device = parse_device(row.text);
    REQUIRE(device.value);
    CHECK(device.value->kind == row.kind);
    CHECK(device.value->name == row.name);
    CHECK(device.value->text == row.text);
  }
  for (const char* text :
       {"", "net_ring", "net_ring:", "net_ring:a,b=1", "net_pcap:out.pcap", "net_tap", "eth0", "03:00",
        "03:00.9", "net_rnig:link", "net_virtio_user,path=x", ":", "net_tap:,x=1"}) {
    INFO(text);
    CHECK_FALSE(parse_device(text).value);
  }
  CHECK(parse_device("net_rnig:link").fix.find("did you mean net_ring?") == 0);
}

TEST_CASE("the nearest name is suggested for typos, not for other words") {
  const std::vector<std::string> names = {"message_size", "messages", "rate", "payload"};
  CHECK(*nearest("mesage_size", names) == "message_size");
  CHECK(*nearest("message", names) == "messages");
  CHECK(*nearest("raet", names) == "rate");
  CHECK(nearest("colour", names) == nullptr);
  CHECK(nearest(std::string(1'000'000, 'x'), names) == nullptr);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
}
