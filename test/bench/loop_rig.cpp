// SPDX-License-Identifier: BSD-3-Clause
#include "loop_rig.hpp"

#include "turns.hpp"

#include <rte_launch.h>

namespace softfeb::bench {

LoopRig::LoopRig(const Environment& environment, const CraftOptions& o)
    : environment_(environment), ground_(1U << 16), payload_(craft_payload(o)) {
  payload_->fill(ground_.arena.allocate(payload_->arena_bytes()));
  board_ = craft_board(o, *payload_, 0);
  receiver_ = std::make_unique<CheckingReceiver>(o);
  const auto station = [&](engine::Endpoint& endpoint) {
    auto s =
        std::make_unique<Station>(environment, ground_, "net_ring:loop", o.pmtu, endpoint.identity().mac);
    s->seat(endpoint);
    return s;
  };
  board_station_ = station(*board_);
  receiver_station_ = station(receiver_->receiver());
}

LoopRig::~LoopRig() = default;

int LoopRig::run_receiver(void* self) {
  auto& rig = *static_cast<LoopRig*>(self);
  while (!rig.stop_.load(std::memory_order_acquire))
    rig.receiver_station_->port_queue().run(read_clock(rig.environment_.clock()));
  return 0;
}

void LoopRig::launch_receiver() { rte_eal_remote_launch(&LoopRig::run_receiver, this, 1); }

void LoopRig::join_receiver() {
  stop_.store(true, std::memory_order_release);
  rte_eal_wait_lcore(1);
}

}  // namespace softfeb::bench
