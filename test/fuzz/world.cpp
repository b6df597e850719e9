// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include "roce/packet.hpp"

#include <algorithm>

namespace softfeb::fuzz {

namespace {

constexpr Time kDelay = 2 * kMicrosecond;

}  // namespace

World::World(std::uint64_t messages, bool both) {
  for (const bool v6 : {false, true}) {
    if (v6 && !both) break;
    Pair& pair = *pairs.emplace_back(std::make_unique<Pair>(v6, messages));
    for (engine::Endpoint* e : {static_cast<engine::Endpoint*>(pair.board.get()),
                                static_cast<engine::Endpoint*>(pair.receiver.get())}) {
      demux_.insert(e->identity(), static_cast<std::uint32_t>(endpoints_.size()));
      endpoints_.push_back(e);
    }
  }
  for (auto& pair : pairs) pair->board->start(now);
}

void World::inject(const Segments& frame) {
  ++frames;
  const roce::ParsedFrame parsed = roce::parse_frame(frame);
  if (parsed.kind == roce::FrameKind::kMacControl) {
    std::uint64_t copies = 0;
    demux_.for_each_paused(parsed.dest_mac, [&](std::uint32_t to) {
      endpoints_[to]->receive(parsed, now);
      ++copies;
    });
    frames += copies == 0 ? 0 : copies - 1;
    nobodys += copies == 0 ? 1 : 0;
    return;
  }
  const std::uint32_t to = demux_.find(parsed);
  if (to == engine::Demux::kNobody) {
    ++nobodys;
  } else {
    endpoints_[to]->receive(parsed, now);
  }
}

void World::step(Time by) {
  now += by;
  while (!flight_.empty() && flight_.front().at <= now) {
    inject(ByteSpan(flight_.front().bytes));
    flight_.pop_front();
  }
  for (auto& pair : pairs) {
    pair->renew_targets(now);
    collect(*pair, *pair->board);
    collect(*pair, *pair->receiver);
  }
}

void World::collect(Pair& pair, engine::Endpoint& from) {
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, 16> rooms;
  std::array<engine::TxFrame, 16> out;
  std::size_t n = 0;
  do {
    for (std::size_t i = 0; i < out.size(); ++i) out[i].header = rooms[i].data();
    n = from.poll(now, out);
    for (std::size_t i = 0; i < n; ++i) take(pair, out[i]);
  } while (n == out.size());
}

void World::take(Pair& pair, const engine::TxFrame& f) {
  // ARP and ICMP responses go to the attacker, who ignores them.
  const std::size_t bth = (pair.v6 ? 18 + 40 : 14 + 20) + 8;
  if (f.header_length < bth + roce::Bth::kSize) return;
  const auto head = roce::Bth::decode(ByteSpan(f.header, f.header_length).subspan(bth));
  if (head->dest_qp - kAttackerQpn < kQps) {
    if (roce::is_write(roce::opcode_operation(head->opcode)))
      pair.last_psn[head->dest_qp - kAttackerQpn] = head->psn;
    return;
  }
  std::vector<std::uint8_t> bytes(f.header, f.header + f.header_length);
  bytes.insert(bytes.end(), f.payload, f.payload + f.payload_length);
  bytes.insert(bytes.end(), f.trailer.begin(), f.trailer.begin() + f.trailer_length);
  flight_.push_back({now + kDelay, std::move(bytes)});
}

bool World::victims_finished() const {
  return std::all_of(pairs.begin(), pairs.end(), [](const auto& p) { return p->victims_finished(); });
}

}  // namespace softfeb::fuzz
