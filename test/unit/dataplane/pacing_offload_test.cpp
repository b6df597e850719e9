// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/pacing_offload.hpp"

#include "dataplane/error.hpp"
#include "dataplane/port.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::dataplane;
using Catch::Matchers::Contains;

namespace {

PacingAbilities able() {
  return {.driver = "net_able", .send_on_timestamp = true, .device_clock = true, .queue_rate = true};
}

}  // namespace

TEST_CASE("a port that supports pacing is accepted", "[dataplane][pacing]") {
  for (const Pacing way : {Pacing::kSoftware, Pacing::kQueueRate, Pacing::kTimestamp})
    CHECK_FALSE(refuse_pacing("feb", way, able()));
  CHECK(pacing_text(able()) == "software; queue_rate: yes; timestamp: yes");
}

TEST_CASE("missing pacing support is reported with the key and the fix", "[dataplane][pacing]") {
  PacingAbilities poor = able();
  poor.queue_rate = false;
  CHECK_FALSE(refuse_pacing("feb", Pacing::kTimestamp, poor));
  const auto rate = refuse_pacing("feb", Pacing::kQueueRate, poor);
  REQUIRE(rate);
  CHECK(rate->reason == "port feb: pacing: queue_rate: net_able does not support queue rate limits");
  CHECK(rate->fix == "set pacing of port feb to software, or remove the key");

  poor = able();
  poor.device_clock = false;
  CHECK_FALSE(refuse_pacing("feb", Pacing::kQueueRate, poor));
  REQUIRE(refuse_pacing("feb", Pacing::kTimestamp, poor));
  CHECK_THAT(refuse_pacing("feb", Pacing::kTimestamp, poor)->reason, Contains("clock"));

  poor.send_on_timestamp = false;
  CHECK_THAT(refuse_pacing("feb", Pacing::kTimestamp, poor)->reason, Contains("SEND_ON_TIMESTAMP"));
  CHECK_THAT(pacing_text(poor), Contains("queue_rate: yes") && Contains("SEND_ON_TIMESTAMP"));
  CHECK_FALSE(refuse_pacing("feb", Pacing::kSoftware, poor));
}

TEST_CASE("a ConnectX without the argument gets it as the fix", "[dataplane][pacing]") {
  PacingAbilities nic = able();
  nic.driver = "mlx5_pci";
  nic.send_on_timestamp = false;
  CHECK_THAT(refuse_pacing("feb", Pacing::kTimestamp, nic)->fix, Contains("tx_pp=500"));
}

TEST_CASE("a queue's rate in Mb/s is rounded up", "[dataplane][pacing]") {
  CHECK(queue_rate_mbps(1'250'000'000) == 10'000);
  CHECK(queue_rate_mbps(125'001) == 2);
  CHECK(queue_rate_mbps(1) == 1);
}

TEST_CASE("virtual devices do not support pacing", "[dataplane][pacing]") {
  Mempools pools;
  DeviceFactory factory;
  for (const char* text : {"net_null", "net_ring:paced"}) {
    CAPTURE(text);
    const auto device = factory.attach(parse_device(text), {1, 1518, 64});
    for (const Pacing way : {Pacing::kQueueRate, Pacing::kTimestamp}) {
      PortConfig config;
      config.name = "feb";
      config.rx_descriptors = config.tx_descriptors = 64;
      config.pacing.way = way;
      config.pacing.queue_rates = {1'250'000'000};
      try {
        const Port port(*device, config, pools);
        FAIL("not refused");
      } catch (const EnvironmentError& e) {
        CHECK_THAT(e.reason(), Contains("port feb: pacing: " + to_string(way) + ": net_"));
        CHECK_THAT(e.fix(), Contains("software"));
      }
    }
    PortConfig plain;
    plain.rx_descriptors = plain.tx_descriptors = 64;
    CHECK_NOTHROW(Port(*device, plain, pools));  // without pacing, the port can be opened
  }
}
