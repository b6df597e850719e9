// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk_rig.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::test {

RigPort::RigPort(DpdkRig& rig, const RigPortConfig& config)
    : rig_(rig),
      config_(config),
      device_(rig.factory.attach(dataplane::parse_device(config.device),
                                 {config.port.queues, config.frame_bytes, config.ring})),
      port_(*device_, config.port, rig.pools),
      builders_(config.workers) {
  rig.arena.map_for(port_.id());
  clear();
}

void RigPort::add(engine::Endpoint& endpoint, unsigned worker) {
  if (!map_->add(endpoint, worker)) throw std::logic_error("two endpoints of a rig have the same address");
}

void RigPort::clear() { map_ = std::make_unique<dataplane::PortMap>(config_.workers); }

std::unique_ptr<dataplane::PortQueue> RigPort::make_queue(const Queue& queue) {
  auto& builder = builders_.at(queue.worker);
  if (!builder) {
    dataplane::TxBuilderConfig b;
    b.multi_segments = port_.capabilities().multi_segments;
    b.frame_bytes = config_.frame_bytes;
    b.descriptors = config_.ring;
    b.held = config_.held;
    b.lcores = config_.port.lcores;
    builder = std::make_unique<dataplane::TxBuilder>(b, &rig_.arena, rig_.pools);
  }
  dataplane::PortQueueConfig c;
  c.port = port_.id();
  c.tx_queue = static_cast<std::uint16_t>(std::min<unsigned>(queue.worker, config_.port.queues - 1U));
  c.rx_queues = queue.rx_queues;
  c.burst = queue.burst;
  c.worker = queue.worker;
  dataplane::PortQueue::Deps parts = queue.parts;
  parts.map = map_.get();
  parts.builder = builder.get();
  return std::make_unique<dataplane::PortQueue>(c, parts);
}

}  // namespace softfeb::test
