// SPDX-License-Identifier: BSD-3-Clause
// Pause frames at a port whose endpoints are on two workers.
#include "dataplane/port.hpp"
#include "dataplane/port_queue.hpp"
#include "engine/receiver.hpp"
#include "roce/mac_control.hpp"

#include <array>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

engine::Identity pause_identity(std::uint8_t n) {
  engine::Identity id;
  id.mac = {2, 0, 0, 0, 0, n};
  id.ip = roce::IpAddress::parse("10.0.0.0")->plus(n);
  return id;
}

TxBuilderConfig few() {
  TxBuilderConfig c;
  c.frame_bytes = 300;
  c.descriptors = c.held = 64;
  return c;
}

/// Endpoint 0 on worker 0, 1 and 2 on worker 1; all packets come to worker 0.
class PauseBench {
 public:
  PauseBench() {
    for (auto& port : ports_) {
      devices_.push_back(factory_.attach(parse_device("net_ring:paused"), {1, 4300, 256}));
      PortConfig config;
      config.rx_descriptors = config.tx_descriptors = 256;
      port = std::make_unique<Port>(*devices_.back(), config, pools_);
    }
    for (std::uint8_t n = 0; n < 3; ++n) {
      endpoints.push_back(
          std::make_unique<engine::Receiver>(engine::ReceiverConfig{pause_identity(n), {}, {}}));
      REQUIRE(map_.add(*endpoints.back(), n == 0 ? 0 : 1));
    }
    for (unsigned w = 0; w < 2; ++w) {
      builders_.push_back(std::make_unique<TxBuilder>(few(), &arena_, pools_));
      PortQueueConfig c;
      c.port = ports_[0]->id();
      c.worker = w;
      if (w == 0) c.rx_queues = {0};
      PortQueue::Deps parts;
      parts.map = &map_;
      parts.builder = builders_.back().get();
      port_queues.push_back(std::make_unique<PortQueue>(c, parts));
    }
    packets_ = pools_.create("test", pool_size(64, 2), 300);
  }

  void send(const roce::MacAddress& to, std::uint16_t quanta) {
    const auto f =
        roce::write_mac_control({2, 9, 9, 9, 9, 9}, to, {roce::MacControl::Kind::kPause, 0, {quanta}});
    rte_mbuf* m = rte_pktmbuf_alloc(packets_);
    REQUIRE(m != nullptr);
    std::copy(f.begin(), f.end(), reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(m, f.size())));
    REQUIRE(rte_eth_tx_burst(ports_[1]->id(), 0, &m, 1) == 1);
    for (auto& port_queue : port_queues) port_queue->run(0);
  }
  std::vector<std::uint64_t> paused() const {
    std::vector<std::uint64_t> out;
    for (const auto& e : endpoints) out.push_back(e->counters().rx_pause);
    return out;
  }
  unsigned packets_out() const { return rte_mempool_in_use_count(packets_); }

 private:
  Mempools pools_;
  Arena arena_{1U << 16};
  DeviceFactory factory_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::array<std::unique_ptr<Port>, 2> ports_;
  PortMap map_{2};
  std::vector<std::unique_ptr<TxBuilder>> builders_;
  rte_mempool* packets_ = nullptr;

 public:
  std::vector<std::unique_ptr<engine::Receiver>> endpoints;
  std::vector<std::unique_ptr<PortQueue>> port_queues;
};

using Counts = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a pause frame reaches its endpoints on every worker, and its packet is returned",
          "[dataplane][pause]") {
  PauseBench b;
  b.send(roce::kPauseAddress, 100);
  CHECK(b.paused() == Counts{1, 1, 1});
  CHECK(b.port_queues[0]->counters().rx_handed_over == 1);  // once, for two endpoints
  CHECK(b.endpoints[2]->control_open_at() == Time{100} * 51'200);
  b.send(pause_identity(2).mac, 200);
  CHECK(b.paused() == Counts{1, 1, 2});
  b.send(pause_identity(0).mac, 0);
  CHECK(b.paused() == Counts{2, 1, 2});
  CHECK(b.port_queues[0]->counters().rx_handed_over == 2);
  b.send(pause_identity(77).mac, 100);
  CHECK(b.paused() == Counts{2, 1, 2});
  CHECK(b.port_queues[0]->counters().rx_nobody == 1);
  CHECK(b.packets_out() == 0);
}
