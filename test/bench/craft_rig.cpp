// SPDX-License-Identifier: BSD-3-Clause
#include "craft_rig.hpp"

#include "algorithms.hpp"
#include "dataplane/path_mtu.hpp"
#include "endpoints.hpp"
#include "roce/frame.hpp"

#include <algorithm>

#include <malloc.h>

namespace softfeb::bench {

namespace {

bool uses_int_records(const CraftOptions& o) {
  return needs_int_records(benchmark_settings(o.algorithm, o.pmtu));
}

test::RigPortConfig port_config(const CraftOptions& o, unsigned lcores) {
  test::RigPortConfig c;
  const auto header = static_cast<std::uint32_t>(uses_int_records(o) ? kIntHeader : 0);
  c.frame_bytes = dataplane::frame_bytes_for(dataplane::mtu_for(o.pmtu, false) + header);
  c.ring = c.held = 1024;
  c.workers = o.workers;
  c.port = {.name = "boards", .queues = static_cast<std::uint16_t>(o.workers + 2), .lcores = lcores};
  for (unsigned w = 0; w < o.workers; ++w) c.port.macs.push_back(board_identity(w).mac);
  return c;
}

}  // namespace

CraftRig::CraftRig(const Environment& environment, const CraftOptions& o, board::PayloadSource& payload,
                   test::DpdkRig& rig, bool sampled)
    : port_(rig, port_config(o, environment.lcores())), workers_(o.workers) {
  payload.fill(rig.arena.allocate(payload.arena_bytes()));
  for (unsigned w = 0; w < o.workers; ++w) {
    if (sampled) workers_[w].stamps = std::make_unique<DiscardedStamps>(o.sample, environment.clock());
    workers_[w].board = craft_board(o, payload, w, huge_pages(), workers_[w].stamps.get());
    port_.add(*workers_[w].board, w);
  }
  for (unsigned w = 0; w < o.workers; ++w) {
    const auto queue = static_cast<std::uint16_t>(w);
    workers_[w].port_queue =
        port_.make_queue({.worker = w, .rx_queues = {queue}, .parts = {.latency = workers_[w].stamps.get()}});
    workers_[w].acks = std::make_unique<AckSource>(port_.id(), queue, path_to_board(w), environment.lcores(),
                                                   rig.pools, uses_int_records(o));
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

std::uint64_t CraftRig::stamps() const {
  std::uint64_t sum = 0;
  for (const WorkerLoop& worker : workers_) sum += worker.stamps ? worker.stamps->taken() : 0;
  return sum;
}

BoardTotals CraftRig::totals() const {
  BoardTotals sum;
  for (const WorkerLoop& worker : workers_) sum += totals_of(*worker.board);
  return sum;
}

EngineLoop::EngineLoop(const CraftOptions& o, const board::PayloadSource& payload,
                       std::pmr::memory_resource* memory)
    : board_(craft_board(o, payload, 0, memory)),
      acks_(path_to_board(), uses_int_records(o)),
      ack_(acks_.frame()),
      bth_(kBthOffset + (uses_int_records(o) ? kIntHeader : 0)) {
  for (std::size_t i = 0; i < kBurst; ++i) frames_[i].header = rooms_[i].data();
}

std::size_t EngineLoop::turn(Time now) {
  acknowledge(now);
  const std::size_t n = board_->poll(now, frames_);
  for (std::size_t i = 0; i < n; ++i) note(frames_[i].header);
  return n;
}

void EngineLoop::note(const std::uint8_t* frame) {
  const std::uint32_t psn = load_be32(frame + bth_ + 8);
  owed_[owed_count_] = {load_be32(frame + bth_ + 4) & roce::kPsnMask, psn & roce::kPsnMask};
  owed_count_ += psn >> 31;
}

void EngineLoop::acknowledge(Time now) {
  for (std::size_t i = 0; i < owed_count_; ++i) {
    acks_.patch(ack_.data(), owed_[i].qpn, owed_[i].psn);
    board_->receive(roce::parse_frame(ByteSpan(ack_).first(acks_.size())), now);
  }
  owed_count_ = 0;
}

QpMemory memory_of_qp(CraftOptions o, const board::PayloadSource& payload) {
  const auto allocated = [] {
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
  };
  o.qps = std::max(o.qps, 10'000U);
  const std::size_t before = allocated();
  EngineLoop loop(o, payload, nullptr);  // use the heap, so that the allocations can be measured
  loop.start(0);
  // Wait until all queue pairs have certainly started to send.
  Time now = 0;
  for (std::uint64_t made = 0; made < 4ULL * o.qps && now < kSecond; now += kMicrosecond)
    made += loop.turn(now);
  return {static_cast<double>(allocated() - before) / o.qps, loop.board().memory_per_qp()};
}

}  // namespace softfeb::bench
