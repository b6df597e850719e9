// SPDX-License-Identifier: BSD-3-Clause
#include "craft_rig.hpp"

#include "addresses.hpp"
#include "dataplane/path_mtu.hpp"

namespace softfeb::bench {

namespace {

test::RigPortConfig port_config(const CraftOptions& o, unsigned lcores) {
  test::RigPortConfig c;
  c.frame_bytes = dataplane::frame_bytes_for(dataplane::mtu_for(o.pmtu, false));
  c.ring = c.held = 1024;
  c.workers = o.workers;
  c.port = {.name = "boards", .queues = static_cast<std::uint16_t>(o.workers + 2), .lcores = lcores};
  for (unsigned w = 0; w < o.workers; ++w) c.port.macs.push_back(board_identity(w).mac);
  return c;
}

}  // namespace

CraftRig::CraftRig(const Environment& environment, const CraftOptions& o, board::PayloadSource& payload,
                   test::DpdkRig& rig)
    : port_(rig, port_config(o, environment.lcores())), workers_(o.workers) {
  payload.fill(rig.arena.allocate(payload.arena_bytes()));
  for (unsigned w = 0; w < o.workers; ++w) {
    workers_[w].board = craft_board(o, payload, w);
    port_.add(*workers_[w].board, w);
  }
  for (unsigned w = 0; w < o.workers; ++w) {
    const auto queue = static_cast<std::uint16_t>(w);
    workers_[w].port_queue = port_.make_queue({.worker = w, .rx_queues = {queue}});
    workers_[w].acks =
        std::make_unique<AckSource>(port_.id(), queue, path_to_board(w), environment.lcores(), rig.pools);
  }
  const auto bare = [&](BareLoop::Kind kind, unsigned queue) {
    return std::make_unique<BareLoop>(kind, o, payload, port_.port(), static_cast<std::uint16_t>(queue),
                                      rig.arena, rig.pools);
  };
  bare_ = bare(BareLoop::Kind::kPlain, o.workers);
  best_ = bare(BareLoop::Kind::kBest, o.workers + 1);
}

CraftRig::~CraftRig() {
  for (WorkerLoop& worker : workers_) worker.acks.reset();
}

void CraftRig::start(Time now) {
  for (WorkerLoop& worker : workers_) {
    worker.board->start(now);
    worker.port_queue->wake();
  }
}

BoardTotals CraftRig::totals() const {
  BoardTotals sum;
  for (const WorkerLoop& worker : workers_) sum += totals_of(*worker.board);
  return sum;
}

}  // namespace softfeb::bench
