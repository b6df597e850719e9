// SPDX-License-Identifier: BSD-3-Clause
#include "engine_loop.hpp"

#include "addresses.hpp"
#include "roce/frame.hpp"

#include <algorithm>

#include <malloc.h>

namespace softfeb::bench {

EngineLoop::EngineLoop(const CraftOptions& o, const board::PayloadSource& payload,
                       std::pmr::memory_resource* memory)
    : board_(craft_board(o, payload, 0, memory)), acks_(path_to_board()), ack_(acks_.frame()) {
  for (std::size_t i = 0; i < kBurst; ++i) frames_[i].header = rooms_[i].data();
}

std::size_t EngineLoop::turn(Time now) {
  acknowledge(now);
  const std::size_t n = board_->poll(now, frames_);
  for (std::size_t i = 0; i < n; ++i) note(frames_[i].header);
  return n;
}

void EngineLoop::note(const std::uint8_t* frame) {
  const std::uint32_t psn = load_be32(frame + kBthOffset + 8);
  owed_[owed_count_] = {load_be32(frame + kBthOffset + 4) & roce::kPsnMask, psn & roce::kPsnMask};
  owed_count_ += psn >> 31;
}

void EngineLoop::acknowledge(Time now) {
  for (std::size_t i = 0; i < owed_count_; ++i) {
    acks_.patch(ack_.data(), owed_[i].qpn, owed_[i].psn);
    board_->receive(roce::parse_frame(ByteSpan(ack_)), now);
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
  EngineLoop loop(o, payload, nullptr);  // the heap, to measure its allocations
  loop.start(0);
  // Wait until all have started, with a margin for late ones.
  Time now = 0;
  for (std::uint64_t made = 0; made < 4ULL * o.qps && now < kSecond; now += kMicrosecond)
    made += loop.turn(now);
  return {static_cast<double>(allocated() - before) / o.qps, loop.board().memory_per_qp()};
}

}  // namespace softfeb::bench
