// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include "roce/congestion_header.hpp"
#include "roce/packet.hpp"

#include <algorithm>

namespace softfeb::fuzz {

World::World(std::uint64_t messages, bool both) {
  wire.now = kMillisecond;
  wire.tap = [this](const engine::Endpoint& from, const engine::TxFrame& f) { return carries(from, f); };
  for (const bool v6 : {false, true}) {
    if (v6 && !both) break;
    Pair& pair = *pairs.emplace_back(std::make_unique<Pair>(v6, messages));
    wire.add(*pair.board);
    wire.add(*pair.receiver);
    pair.board->start(now());
  }
}

void World::step(Time by) {
  wire.skip(by);
  for (auto& pair : pairs) pair->renew_targets(now());
  wire.collect();
}

bool World::carries(const engine::Endpoint& from, const engine::TxFrame& f) {
  Pair& pair = **std::find_if(pairs.begin(), pairs.end(), [&from](const auto& p) {
    return p->board.get() == &from || p->receiver.get() == &from;
  });
  std::size_t bth = (pair.v6 ? 18 + 40 : 14 + 20) + 8;
  if (f.header_length > bth + 2 && load_be16(f.header + bth - 6) == roce::kCongestionUdpPort)
    bth += std::size_t{4} * f.header[bth + 2];  // skip the congestion control header
  // The attacker ignores ARP and ICMP frames, which are too short to contain a BTH.
  if (f.header_length < bth + roce::Bth::kSize) return false;
  const auto head = roce::Bth::decode(ByteSpan(f.header, f.header_length).subspan(bth));
  const std::uint32_t target = head->dest_qp - kAttackerQpn;
  if (target >= kQps) return true;
  if (roce::is_write(roce::opcode_operation(head->opcode))) pair.last_psn[target] = head->psn;
  return false;
}

bool World::victims_finished() const {
  return std::all_of(pairs.begin(), pairs.end(), [](const auto& p) { return p->victims_finished(); });
}

}  // namespace softfeb::fuzz
