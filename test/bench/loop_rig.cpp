// SPDX-License-Identifier: BSD-3-Clause
#include "loop_rig.hpp"

#include "addresses.hpp"
#include "dataplane/path_mtu.hpp"
#include "turns.hpp"

#include <rte_launch.h>

namespace softfeb::bench {

namespace {

std::uint32_t frame_for(const CraftOptions& o) {
  return dataplane::frame_bytes_for(dataplane::mtu_for(o.pmtu, false));
}

}  // namespace

LoopRig::LoopRig(const Environment& environment, const CraftOptions& o, const QpShape& shape)
    : environment_(environment), arena_(1U << 16), payload_(craft_payload(o)) {
  payload_->fill(arena_.allocate(payload_->arena_bytes()));
  board_ = craft_board(o, *payload_, 0, shape);
  receiver_ = std::make_unique<CheckingReceiver>(o, *payload_);
  make_port(ends_[0], o, board_mac());
  make_port(ends_[1], o, kPeerMac);
  make_lane(ends_[0], *board_, o, &arena_);
  make_lane(ends_[1], receiver_->receiver(), o, nullptr);
}

LoopRig::~LoopRig() {
  for (End& end : ends_) end.lane.reset();
  for (End& end : ends_) end.port.reset();
}

void LoopRig::make_port(End& end, const CraftOptions& o, const roce::MacAddress& mac) {
  end.device = factory_.attach(dataplane::parse_device("net_ring:loop"), {1, frame_for(o), 1024});
  dataplane::PortConfig p;
  p.name = mac == kPeerMac ? "receiver" : "board";
  p.lcores = environment_.lcores();
  p.macs = {mac};
  end.port = std::make_unique<dataplane::Port>(*end.device, p, pools_);
  arena_.map_for(end.port->id());
}

void LoopRig::make_lane(End& end, engine::Endpoint& endpoint, const CraftOptions& o,
                        const dataplane::Arena* arena) {
  dataplane::TxBuilderConfig b;
  b.multi_segments = end.port->capabilities().multi_segments;
  b.frame_bytes = frame_for(o);
  b.held = 2048;  // in the far end's hands
  b.lcores = environment_.lcores();
  end.builder = std::make_unique<dataplane::TxBuilder>(b, arena, pools_);
  end.map = std::make_unique<dataplane::PortMap>(1);
  end.map->add(endpoint, 0);
  dataplane::LaneConfig lane;
  lane.port = end.port->id();
  lane.rx_queues = {0};
  dataplane::Lane::Parts parts;
  parts.map = end.map.get();
  parts.builder = end.builder.get();
  end.lane = std::make_unique<dataplane::Lane>(lane, parts);
}

int LoopRig::run_receiver(void* self) {
  auto& rig = *static_cast<LoopRig*>(self);
  while (!rig.stop_.load(std::memory_order_acquire))
    rig.ends_[1].lane->run(read_clock(rig.environment_.clock()));
  return 0;
}

void LoopRig::launch_receiver() { rte_eal_remote_launch(&LoopRig::run_receiver, this, 1); }

void LoopRig::join_receiver() {
  stop_.store(true, std::memory_order_release);
  rte_eal_wait_lcore(1);
}

}  // namespace softfeb::bench
