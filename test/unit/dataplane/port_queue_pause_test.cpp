// SPDX-License-Identifier: BSD-3-Clause
// Tests pause frames at a port whose endpoints are on two workers.
#include "board_builder.hpp"
#include "dpdk_rig.hpp"
#include "mbufs.hpp"
#include "roce/mac_control.hpp"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_mbuf.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

/// Endpoint 0 is on worker 0; endpoints 1 and 2 are on worker 1. All packets arrive at worker 0.
class PauseBench {
 public:
  PauseBench() : near_(rig_, ring()), far_(rig_, ring()) {
    for (std::uint32_t n = 0; n < 3; ++n) {
      endpoints.push_back(test::ReceiverBuilder(test::identity(n)).build());
      near_.add(*endpoints.back(), n == 0 ? 0 : 1);
    }
    for (unsigned w = 0; w < 2; ++w) {
      test::RigPort::Queue queue{.worker = w};
      if (w != 0) queue.rx_queues.clear();
      port_queues.push_back(near_.make_queue(queue));
    }
    packets_ = rig_.pools.create("test", pool_size(64, 2), 300);
  }

  void send(const roce::MacAddress& to, std::uint16_t quanta) {
    const auto f =
        roce::write_mac_control({2, 9, 9, 9, 9, 9}, to, {roce::MacControl::Kind::kPause, 0, {quanta}});
    rte_mbuf* const m = test::packet(packets_, f);
    REQUIRE(m != nullptr);
    REQUIRE(test::send(far_.id(), m));
    for (auto& port_queue : port_queues) port_queue->run(0);
  }
  std::vector<std::uint64_t> paused() const {
    std::vector<std::uint64_t> out;
    for (const auto& e : endpoints) out.push_back(e->counters().rx_pause);
    return out;
  }
  unsigned packets_out() const { return rte_mempool_in_use_count(packets_); }

 private:
  static test::RigPortConfig ring() { return {.device = "net_ring:paused", .workers = 2}; }

  test::DpdkRig rig_;
  test::RigPort near_, far_;
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
  CHECK(b.port_queues[0]->counters().rx_handed_over == 1);  // handed over once for both endpoints of worker 1
  CHECK(b.endpoints[2]->control_open_at() == Time{100} * 51'200);
  b.send(test::identity(2).mac, 200);
  CHECK(b.paused() == Counts{1, 1, 2});
  b.send(test::identity(0).mac, 0);
  CHECK(b.paused() == Counts{2, 1, 2});
  CHECK(b.port_queues[0]->counters().rx_handed_over == 2);
  b.send(test::identity(77).mac, 100);
  CHECK(b.paused() == Counts{2, 1, 2});
  CHECK(b.port_queues[0]->counters().rx_nobody == 1);
  CHECK(b.packets_out() == 0);
}
