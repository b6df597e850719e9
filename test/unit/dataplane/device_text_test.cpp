// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device.hpp"
#include "dataplane/error.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::dataplane;

namespace {
std::string devargs(const char* text, DeviceRequest request = {}) {
  return device_arguments(parse_device(text), request, 7);
}
}  // namespace

TEST_CASE("device texts become devargs with the right defaults", "[dataplane][device]") {
  CHECK(devargs("net_null") == "net_null7,no-rx=1");
  CHECK(devargs("net_null,no-rx=0") == "net_null7,no-rx=0");
  CHECK(devargs("net_tap:tap0") == "net_tap7,iface=tap0");
  CHECK(devargs("net_vhost:/run/vu.sock", {2, 1518, 1024}) ==
        "net_vhost7,iface=/run/vu.sock,queues=2,client=0");
  CHECK(devargs("net_vhost:/run/vu.sock,client") == "net_vhost7,iface=/run/vu.sock,queues=1,client=1");
  CHECK(devargs("net_pcap:tx_pcap=o.pcap") == "net_pcap7,tx_pcap=o.pcap");
  CHECK(devargs("net_af_packet:eth1", {1, 4200, 1000}) ==
        "net_af_packet7,iface=eth1,qpairs=1,blocksz=65536,framesz=8192,framecnt=1024");
  CHECK(devargs("net_af_packet:eth1,qdisc_bypass=0,framesz=16384") ==
        "net_af_packet7,iface=eth1,qpairs=1,blocksz=65536,framecnt=1024,qdisc_bypass=0,framesz=16384");
  CHECK(devargs("net_memif:/run/m.sock,client", {1, 4200, 1024}) ==
        "net_memif7,socket=/run/m.sock,socket-abstract=no,role=client,bsize=8192,rsize=10");
  CHECK(devargs("0000:3b:00.0,txq_inline_max=0") == "0000:3b:00.0,txq_inline_max=0");
  CHECK(devargs("net_virtio_user0,path=/run/x") == "net_virtio_user0,path=/run/x");
}

TEST_CASE("servers create their sockets", "[dataplane][device]") {
  for (const char* server :
       {"net_memif:/run/m.sock", "net_memif:/run/m.sock,server", "net_vhost:/run/v.sock"})
    CHECK(is_server(parse_device(server)));
  for (const char* other : {"net_memif:/run/m.sock,client", "net_vhost:/run/v.sock,client", "net_null"})
    CHECK_FALSE(is_server(parse_device(other)));
}

TEST_CASE("kinds of device texts are distinguished", "[dataplane][device]") {
  CHECK(parse_device("3b:00.1").kind == DeviceKind::kPci);
  CHECK(parse_device("0000:3b:00.1,a=b").argument == "0000:3b:00.1");
  CHECK(parse_device("net_ring:link0").kind == DeviceKind::kRing);
  CHECK(parse_device("net_ring:link0").argument == "link0");
  CHECK(parse_device("net_null0,size=64").kind == DeviceKind::kRaw);
}

TEST_CASE("wrong device texts are refused with a suggestion", "[dataplane][device]") {
  CHECK_THROWS_WITH(parse_device("net_af_packet"), Catch::Contains("net_af_packet:INTERFACE"));
  CHECK_THROWS_WITH(parse_device("net_ring:"), Catch::Contains("net_ring:LINK"));
  CHECK_THROWS_WITH(parse_device("net_vhost,client"), Catch::Contains("net_vhost:SOCKET"));
  CHECK_THROWS_WITH(parse_device("net_pcap"), Catch::Contains("tx_pcap=FILE"));
  CHECK_THROWS_WITH(parse_device("eth0"),
                    Catch::Contains("not known") && Catch::Contains("net_af_packet:INTERFACE"));
  CHECK_THROWS_AS(parse_device(""), RequestError);
}

TEST_CASE("an AF_PACKET slot holds the frame and its header", "[dataplane][device]") {
  CHECK(af_packet_frame_slot(1518) == 2048);
  CHECK(af_packet_frame_slot(2000) == 4096);
  CHECK(af_packet_frame_slot(4200) == 8192);
  CHECK(af_packet_frame_slot(9018) == 16384);
}
