// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/board_config.hpp"

#include "endpoints/addresses.hpp"
#include "endpoints/qp_congestion.hpp"

#include <numeric>

namespace softfeb::endpoints {

namespace {

/// True if the transmit queue of the board's port enforces the board's link rate.
bool shaped_by_port(const config::RunConfig& config, const config::BoardConfig& board) {
  return board.endpoint.port < config.ports.size() &&
         config.ports[board.endpoint.port].pacing == config::Pacing::kQueueRate;
}

/// Returns the configuration of the QPs that the board's metadata bus may create.
engine::BusConfig bus_of(const config::BoardConfig& board, const Payloads& payloads,
                         std::uint32_t largest_pmtu) {
  const config::ControlConfig& c = *board.control;
  engine::BusConfig bus;
  bus.slots = c.qps;
  bus.qp.requester.send_queue_depth = c.send_queue;
  bus.qp.requester.window_requests = c.window;
  bus.qp.requester.timing = board.timing;
  bus.qp.path = path_of(board.endpoint, board.endpoint.ip);
  bus.qp.payload = &payloads.of_bus();
  bus.qp.known_crc = board.icrc == config::IcrcMethod::kKnown;
  bus.qp.congestion = bus_congestion(board);
  bus.source_port = board.udp_source_port;
  bus.largest_pmtu = largest_pmtu;
  if (c.remote) bus.destination.ip = *c.remote;
  return bus;
}

engine::TrafficGenConfig traffic_gen_of(const config::RunConfig& config, const config::BoardConfig& board,
                                        const Payloads& payloads, Time slack) {
  const config::TrafficGenConfig& t = *board.traffic_gen;
  constexpr std::uint32_t kIpAndUdp = roce::kIpv4Size + roce::kUdpHeaderSize;
  engine::TrafficGenConfig g;
  g.settings = t.registers;
  g.start = t.start;
  g.waits = t.given && !t.start;
  g.qps = t.makes_qps() ? board.qps.front().count : 0;
  g.payload = &payloads.of_traffic_gens();
  g.path = path_of(board.endpoint, board.endpoint.ip);
  g.largest_datagram = config.ports[board.endpoint.port].mtu.value_or(1500) - kIpAndUdp;
  g.rate = board.link_rate.value_or(0);
  g.slack = slack;
  return g;
}

std::size_t number_of_qps(const config::BoardConfig& board) {
  return std::accumulate(board.qps.begin(), board.qps.end(), std::size_t{0},
                         [](std::size_t n, const config::QpConfig& qp) { return n + qp.count; });
}

}  // namespace

engine::BoardConfig board_config_of(const config::RunConfig& config, std::size_t b, const Payloads& payloads,
                                    std::uint32_t largest_pmtu, Time network_slack) {
  const config::BoardConfig& c = config.boards[b];
  engine::BoardConfig board;
  board.identity = identity_of(c.endpoint);
  board.link_rate = c.link_rate.value_or(0);
  board.pause = {.mode = c.endpoint.pause};
  board.cc_port = c.endpoint.cc_header ? config.run.cc_port : std::uint16_t{0};
  if (c.endpoint.network) board.link_slack = network_slack;
  if (shaped_by_port(config, c)) {
    board.pause.link_rate = board.link_rate;
    board.link_rate = 0;
  }
  board.qps.reserve(number_of_qps(c));
  if (c.traffic_gen) board.traffic_gen = traffic_gen_of(config, c, payloads, board.link_slack);
  if (c.control) board.bus = bus_of(c, payloads, largest_pmtu);
  return board;
}

}  // namespace softfeb::endpoints
