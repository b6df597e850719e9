// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/control_setup.hpp"

#include "config/address.hpp"
#include "endpoints/qp_congestion.hpp"

#include <algorithm>
#include <variant>

namespace softfeb::slowcontrol {

namespace {

/// Lower bound on the segment size in bytes. Any port MTU is large enough for such a segment.
constexpr std::size_t kLeastSegment = 256;
/// Segments queued beyond a stream's window: enough to keep the window full, but few enough not to delay
/// register accesses.
constexpr std::size_t kStreamQueue = 8;

srp::RssiServerConfig link(const config::ControlConfig& c, std::size_t max_datagram, std::uint64_t seed,
                           std::uint8_t outstanding, std::uint16_t segment) {
  const auto longest =
      static_cast<std::uint16_t>(std::clamp(max_datagram, kLeastSegment, std::size_t{segment}));
  const board::RssiLimits firmware;
  srp::RssiServerConfig r;
  r.local = {outstanding,
             longest,
             firmware.retransmit_ms,
             firmware.cumulative_ack_ms,
             firmware.null_ms,
             firmware.max_retransmissions,
             firmware.max_cumulative_acks};
  r.max_outstanding_limit = outstanding;
  r.max_segment_limit = longest;
  r.syns_per_second = c.max_connects_per_second;
  r.syn_burst = c.max_connects_per_second;
  r.seed = seed;
  return r;
}

const dcqcn::FirmwareParameters& parameters_of(const config::BoardConfig& board, std::size_t qp,
                                               const dcqcn::FirmwareSettings& bus) {
  static const dcqcn::FirmwareParameters kReset;
  for (const config::QpConfig& group : board.qps) {
    if (qp >= group.count) {
      qp -= group.count;
      continue;
    }
    const config::CongestionConfig& d = endpoints::congestion_config_of(board, group);
    return d.algorithm == config::CongestionConfig::Algorithm::kFirmware ? d.firmware.parameters : kReset;
  }
  return bus.parameters;
}

}  // namespace

std::size_t configured_qps(const config::BoardConfig& board) {
  std::size_t n = 0;
  for (const config::QpConfig& group : board.qps) n += group.count;
  return n;
}

board::BoardRegistersConfig registers_config(const config::RunConfig& config, std::size_t index, Time start) {
  const config::BoardConfig& board = config.boards[index];
  const config::ControlConfig& c = *board.control;
  const dcqcn::FirmwareSettings bus = endpoints::bus_congestion(board);
  board::BoardRegistersConfig r;
  r.profile = board::find_profile(c.profile);
  r.mac = board.endpoint.mac;
  r.ip = board.endpoint.ip;
  r.metadata = {c.pds, c.mrs, c.qps};
  if (c.remote) r.destination.ip = *c.remote;
  r.first_bus_qp = configured_qps(board);
  r.line_rate = bus.build.line_rate;
  const std::size_t all = r.first_bus_qp + c.qps;
  const std::size_t first = c.slots == config::DcqcnSlots::kBusFirst ? r.first_bus_qp : 0;
  r.dcqcn_qps.clear();
  for (std::size_t slot = 0; slot < std::min(all, board::dcqcn_slots(*r.profile)); ++slot) {
    r.dcqcn_qps.push_back((first + slot) % all);
    r.dcqcn.push_back(parameters_of(board, r.dcqcn_qps.back(), bus));
  }
  for (std::size_t b = index; b < index + board.ports && board::traffic_gens(*r.profile) != 0; ++b) {
    if (config.boards[b].traffic_gen) r.traffic_gens.push_back(config.boards[b].traffic_gen->registers);
  }
  r.dscp = board.endpoint.dscp;
  r.ecn = static_cast<std::uint8_t>(board.endpoint.ecn);
  r.seed = config.run.seed + index * 0x9e3779b97f4a7c15U;
  r.start = start;
  return r;
}

srp::RssiServerConfig registers_link(const config::ControlConfig& c, std::size_t max_datagram,
                                     std::uint64_t seed) {
  return link(c, max_datagram, seed, 16, 1024);
}

srp::RssiServerConfig stream_link(const config::ControlConfig& c, std::size_t max_datagram,
                                  std::uint64_t seed) {
  srp::RssiServerConfig r = link(c, max_datagram, seed, 32, 8192);
  r.tx_queue = kStreamQueue;
  return r;
}

bool allowed(const config::ControlConfig& c, const roce::IpAddress& ip) {
  return std::any_of(c.allow.begin(), c.allow.end(), [&ip](const config::IpPrefix& network) {
    return config::same_prefix(network.ip, ip, network.length);
  });
}

}  // namespace softfeb::slowcontrol
