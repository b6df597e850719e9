// SPDX-License-Identifier: BSD-3-Clause
#include "loop_rig.hpp"

#include "dataplane/path_mtu.hpp"
#include "endpoints.hpp"
#include "measurement.hpp"

#include <rte_launch.h>

namespace softfeb::bench {

test::RigPortConfig short_ring(const Environment& environment, const std::string& device, std::uint32_t pmtu,
                               const roce::MacAddress& mac) {
  test::RigPortConfig c;
  c.device = device;
  c.frame_bytes = dataplane::frame_bytes_for(dataplane::mtu_for(pmtu, false));
  c.ring = 256;
  c.held = 512;
  c.port = {.name = device, .lcores = environment.lcores(), .macs = {mac}};
  return c;
}

LoopRig::LoopRig(const Environment& environment, const CraftOptions& o)
    : environment_(environment),
      payload_(craft_payload(o)),
      receiver_(std::make_unique<CheckingReceiver>(o)),
      board_port_(rig_, short_ring(environment, "net_ring:loop", o.pmtu, board_identity().mac)),
      receiver_port_(rig_, short_ring(environment, "net_ring:loop", o.pmtu, peer().mac)) {
  payload_->fill(rig_.arena.allocate(payload_->arena_bytes()));
  board_ = craft_board(o, *payload_, 0);
  board_port_.add(*board_);
  receiver_port_.add(receiver_->receiver());
  board_queue_ = board_port_.make_queue();
  receiver_queue_ = receiver_port_.make_queue();
}

LoopRig::~LoopRig() = default;

int LoopRig::run_receiver(void* self) {
  auto& rig = *static_cast<LoopRig*>(self);
  while (!rig.stop_.load(std::memory_order_acquire))
    rig.receiver_queue_->run(read_clock(rig.environment_.clock()));
  return 0;
}

void LoopRig::launch_receiver() { rte_eal_remote_launch(&LoopRig::run_receiver, this, 1); }

void LoopRig::join_receiver() {
  stop_.store(true, std::memory_order_release);
  rte_eal_wait_lcore(1);
}

}  // namespace softfeb::bench
