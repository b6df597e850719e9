// SPDX-License-Identifier: BSD-3-Clause
#include "station.hpp"

#include "dataplane/path_mtu.hpp"

namespace softfeb::bench {

namespace {
// Packets that may wait between two cores. A longer ring would also fill up when one core is slower, and its
// mbufs would not stay in a cache.
constexpr std::uint32_t kRing = 256;
constexpr std::uint32_t kHeldByTheFarEnd = 512;
}  // namespace

Station::Station(const Environment& environment, Ground& ground, const std::string& device,
                 std::uint32_t pmtu, const roce::MacAddress& mac) {
  const std::uint32_t frame = dataplane::frame_bytes_for(dataplane::mtu_for(pmtu, false));
  device_ = ground.factory.attach(dataplane::parse_device(device), {1, frame, kRing});
  dataplane::PortConfig p;
  p.name = device;
  p.lcores = environment.lcores();
  p.macs = {mac};
  port_ = std::make_unique<dataplane::Port>(*device_, p, ground.pools);
  ground.arena.map_for(port_->id());
  dataplane::TxBuilderConfig b;
  b.multi_segments = port_->capabilities().multi_segments;
  b.frame_bytes = frame;
  b.descriptors = kRing;
  b.held = kHeldByTheFarEnd;
  b.lcores = environment.lcores();
  builder_ = std::make_unique<dataplane::TxBuilder>(b, &ground.arena, ground.pools);
}

void Station::seat(engine::Endpoint& endpoint) {
  leave();
  map_ = std::make_unique<dataplane::PortMap>(1);
  map_->add(endpoint, 0);
  dataplane::PortQueueConfig port_queue;
  port_queue.port = port_->id();
  port_queue.rx_queues = {0};
  dataplane::PortQueue::Deps parts;
  parts.map = map_.get();
  parts.builder = builder_.get();
  port_queue_ = std::make_unique<dataplane::PortQueue>(port_queue, parts);
}

Station::~Station() = default;

}  // namespace softfeb::bench
