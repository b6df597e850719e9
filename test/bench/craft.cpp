// SPDX-License-Identifier: BSD-3-Clause
#include "craft.hpp"

#include "board/payload.hpp"
#include "engine/board.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <vector>

namespace softfeb::bench {

namespace {

using Clock = std::chrono::steady_clock;

engine::BoardConfig make_board(const CraftOptions& o, const board::PayloadSource& payload) {
  engine::BoardConfig c;
  c.identity.mac = {2, 0, 0, 0, 0, 1};
  c.identity.ip = *roce::IpAddress::parse("10.0.0.1");
  for (std::uint32_t i = 0; i < o.qps; ++i) {
    engine::SendQpConfig qp;
    qp.requester.transport = roce::Transport::kUc;
    qp.requester.qpn = 0x100 + i;
    qp.requester.dest_qpn = 0x800 + i;
    qp.requester.pmtu = o.pmtu;
    qp.path.source_mac = c.identity.mac;
    qp.path.source_ip = c.identity.ip;
    qp.path.dest_ip = *roce::IpAddress::parse("10.0.0.2");
    qp.peer_mac = roce::MacAddress{2, 0, 0, 0, 0, 2};
    qp.payload = &payload;
    qp.known_crc = o.known_crc;
    qp.traffic.plan = payload.plan();
    c.qps.push_back(qp);
  }
  return c;
}

/// Frames a second, in millions, of one run.
double run_once(engine::Board& board, double seconds) {
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, 32> rooms;
  std::array<engine::TxFrame, 32> frames;
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i].header = rooms[i].data();
  const auto begin = Clock::now();
  std::uint64_t made = 0;
  double elapsed = 0;
  while (elapsed < seconds) {
    for (int k = 0; k < 256; ++k) made += board.poll(kSecond, frames);
    elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return static_cast<double>(made) / elapsed * 1e-6;
}

}  // namespace

nlohmann::ordered_json bench_craft(const CraftOptions& o) {
  const auto payload = board::make_payload(
      {.kind = board::PayloadKind::kCounter, .message_length = o.pmtu * 16, .pmtu = o.pmtu});
  std::vector<std::uint8_t> arena(payload->arena_bytes());
  payload->fill(arena);
  engine::Board board(make_board(o, *payload));
  board.start(0);
  run_once(board, o.seconds);  // caches, branch predictors
  std::vector<double> mpps;
  for (unsigned i = 0; i < o.runs; ++i) mpps.push_back(run_once(board, o.seconds));
  std::sort(mpps.begin(), mpps.end());
  const double median = mpps[mpps.size() / 2];
  return {{"benchmark", "craft"},
          {"pmtu", o.pmtu},
          {"icrc", o.known_crc ? "known" : "full"},
          {"qps", o.qps},
          {"median_mpps", median},
          {"min_mpps", mpps.front()},
          {"max_mpps", mpps.back()},
          {"median_payload_gbps", median * o.pmtu * 8e-3},
          {"runs", mpps}};
}

}  // namespace softfeb::bench
