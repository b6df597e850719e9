// SPDX-License-Identifier: BSD-3-Clause
#include "craft_rig.hpp"

#include "addresses.hpp"
#include "dataplane/path_mtu.hpp"

namespace softfeb::bench {

CraftRig::CraftRig(const Environment& environment, const CraftOptions& o, board::PayloadSource& payload,
                   CraftMachine& machine)
    : machine_(machine), arena_(payload.arena_bytes()), map_(o.workers), seats_(o.workers) {
  payload.fill(arena_.allocate(payload.arena_bytes()));
  make_port(o, environment.lcores());
  for (unsigned w = 0; w < o.workers; ++w) {
    seats_[w].board = craft_board(o, payload, w);
    map_.add(*seats_[w].board, w);
  }
  for (unsigned w = 0; w < o.workers; ++w) make_seat(o, w, environment.lcores());
  const auto bare = [&](BareLoop::Kind kind, unsigned queue) {
    return std::make_unique<BareLoop>(kind, o, payload, *port_, static_cast<std::uint16_t>(queue), arena_,
                                      machine_.pools);
  };
  bare_ = bare(BareLoop::Kind::kPlain, o.workers);
  best_ = bare(BareLoop::Kind::kBest, o.workers + 1);
}

CraftRig::~CraftRig() {
  for (Seat& seat : seats_) seat.acks.reset();
  seats_.clear();
  port_.reset();
}

void CraftRig::make_port(const CraftOptions& o, unsigned lcores) {
  const std::uint32_t frame = dataplane::frame_bytes_for(dataplane::mtu_for(o.pmtu, false));
  const auto queues = static_cast<std::uint16_t>(o.workers + 2);
  device_ = machine_.devices.attach(dataplane::parse_device("net_null"), {queues, frame, 1024});
  dataplane::PortConfig p;
  p.name = "boards";
  p.queues = queues;
  p.lcores = lcores;
  for (unsigned w = 0; w < o.workers; ++w) p.macs.push_back(board_mac(w));
  port_ = std::make_unique<dataplane::Port>(*device_, p, machine_.pools);
  arena_.map_for(port_->id());
}

void CraftRig::make_seat(const CraftOptions& o, unsigned worker, unsigned lcores) {
  Seat& seat = seats_[worker];
  dataplane::TxBuilderConfig b;
  b.multi_segments = port_->capabilities().multi_segments;
  b.frame_bytes = dataplane::frame_bytes_for(dataplane::mtu_for(o.pmtu, false));
  b.lcores = lcores;
  seat.builder = std::make_unique<dataplane::TxBuilder>(b, &arena_, machine_.pools);
  dataplane::PortQueueConfig port_queue;
  port_queue.port = port_->id();
  port_queue.tx_queue = static_cast<std::uint16_t>(worker);
  port_queue.rx_queues = {port_queue.tx_queue};
  port_queue.worker = worker;
  dataplane::PortQueue::Deps parts;
  parts.map = &map_;
  parts.builder = seat.builder.get();
  seat.port_queue = std::make_unique<dataplane::PortQueue>(port_queue, parts);
  seat.acks = std::make_unique<AckSource>(port_->id(), port_queue.tx_queue, path_to_board(worker), lcores,
                                          machine_.pools);
}

void CraftRig::start(Time now) {
  for (Seat& seat : seats_) {
    seat.board->start(now);
    seat.port_queue->wake();
  }
}

BoardTotals CraftRig::totals() const {
  BoardTotals sum;
  for (const Seat& seat : seats_) sum += totals_of(*seat.board);
  return sum;
}

}  // namespace softfeb::bench
