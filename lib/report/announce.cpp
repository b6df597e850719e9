// SPDX-License-Identifier: BSD-3-Clause
#include "report/announce.hpp"

#include "config/units.hpp"
#include "endpoints/qp_congestion.hpp"
#include "runtime/port_setup.hpp"
#include "service/log.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr std::size_t kMostLines = 8;

std::string bucket(const dcqcn::BucketConfig& b) {
  return fmt::format("token bucket {} from {}", config::format_size(b.size), b.start_full ? "full" : "empty");
}

const char* scope(config::CongestionConfig::Scope s) {
  switch (s) {
    case config::CongestionConfig::Scope::kBoard:
      return "one rate for the board";
    case config::CongestionConfig::Scope::kIpPair:
      return "one rate per receiver address";
    case config::CongestionConfig::Scope::kQp:
      break;
  }
  return "one rate per QP";
}

std::string congestion_text(const config::CongestionConfig& d) {
  if (d.algorithm == config::CongestionConfig::Algorithm::kFirmware) {
    return fmt::format("DCQCN of the firmware{} (line rate {}, {}, {}{})",
                       d.firmware.parameters.dcqcn_bypass ? ", bypassed" : "",
                       config::format_bandwidth(d.firmware.build.line_rate), bucket(d.firmware.bucket),
                       scope(d.scope), d.firmware.build.wrap32 ? "" : ", 64 bits");
  }
  if (d.algorithm == config::CongestionConfig::Algorithm::kOther)
    return fmt::format("{} ({})", d.other.algorithm->summary(), scope(d.scope));
  return fmt::format("DCQCN of the paper (line rate {}, {}, {})",
                     config::format_bandwidth(d.paper.parameters.line_rate), bucket(d.paper.bucket),
                     scope(d.scope));
}

bool by_packet(const config::Rate& r) {
  return r.unit == config::Rate::Unit::kPayloadBytes || r.unit == config::Rate::Unit::kPackets;
}

bool by_message(const config::Rate& r) {
  return r.unit == config::Rate::Unit::kMessages || r.unit == config::Rate::Unit::kPeriod;
}

/// Returns the pacing mechanisms of the QPs that `qp` describes; empty if these QPs are not paced.
std::string pacers_of(const config::BoardConfig& board, const config::QpConfig& qp) {
  const config::CongestionConfig& d = endpoints::congestion_config_of(board, qp);
  std::string text;
  const auto also = [&text](const std::string& what) { text += (text.empty() ? "" : " and ") + what; };
  if (d.algorithm != config::CongestionConfig::Algorithm::kOff) also(congestion_text(d));
  if (by_packet(qp.traffic.rate)) {
    also(fmt::format("constant rate {} per QP, {}", config::format_rate(qp.traffic.rate),
                     qp.traffic.burst == 1 ? "evenly spaced packets"
                                           : fmt::format("{} packets back to back", qp.traffic.burst)));
  } else if (by_message(qp.traffic.rate)) {
    also(fmt::format("constant rate {} per QP, packets of a message unpaced",
                     config::format_rate(qp.traffic.rate)));
  }
  return text;
}

std::uint32_t qps_of(const config::BoardConfig& board) {
  std::uint32_t n = 0;
  for (const config::QpConfig& qp : board.qps) n += qp.count;
  return n;
}

std::string ways(const config::RunConfig& config, const slowcontrol::BoardControl& board) {
  const config::ControlConfig& c = board.config();
  std::string text;
  if (c.listen) {
    text = fmt::format("{} UDP {} and {}", config::to_string(*c.listen), c.registers_port, c.stream_port);
  }
  if (c.in_band) {
    text += fmt::format("{}{} UDP 8192 and 8193 (in band)", text.empty() ? "" : ", ",
                        config::to_string(config.boards[board.board()].endpoint.ip));
  }
  return text;
}

std::string networks(const config::ControlConfig& c) {
  std::string text;
  for (const config::IpPrefix& n : c.allow) text += (text.empty() ? "" : ", ") + config::to_string(n);
  return text.empty() ? "no client" : text;
}

std::vector<std::string> control_lines(const config::RunConfig& config,
                                       const slowcontrol::BoardControl& board) {
  const config::ControlConfig& c = board.config();
  const std::string name = "board " + config.boards[board.board()].endpoint.name;
  std::vector<std::string> lines{fmt::format("{}: registers and stream at {}; firmware {}; may connect: {}",
                                             name, ways(config, board), c.profile, networks(c))};
  if (!c.listen) {
    const config::EndpointConfig& own = config.boards[board.board()].endpoint;
    lines.push_back(fmt::format("{}: in band only: connect from a host on its network with febctl --ip {}",
                                name, config::to_string(own.ip)));
  }
  if (c.responder) {
    const config::EndpointConfig& host = config.receivers[*c.responder].endpoint;
    lines.push_back(fmt::format(
        "{}: its host is receiver {} at {}, which accepts any QPN, rkey and address given to the board", name,
        host.name, config::to_string(host.ip)));
  }
  return lines;
}

std::string port_pacer(const config::PortConfig& port) {
  const std::string begin = fmt::format("port {}, pacer: ", port.name);
  if (port.pacing == config::Pacing::kQueueRate) {
    return begin +
           "NIC queues enforce the link rate of their boards, all QPs of a queue together, in steps of 1 "
           "Mb/s; the worker enforces the rates of QPs; a rate change takes effect behind the packets "
           "already queued "
           "(doc/pacing-offloads.md)";
  }
  return begin +
         fmt::format(
             "the NIC sends each packet {} after its scheduled time; expected error: that of the NIC; "
             "CNPs take effect and acknowledgements leave that much later (doc/pacing-offloads.md)",
             config::format_time(port.pacing_horizon));
}

/// True if any board is paced in software only.
bool software(const config::RunConfig& config) {
  return std::any_of(config.boards.begin(), config.boards.end(), [&](const config::BoardConfig& b) {
    return config.ports[b.endpoint.port].pacing == config::Pacing::kSoftware;
  });
}

std::vector<std::string> pacer_lines(const config::RunConfig& config) {
  std::vector<std::string> lines;
  for (const config::BoardConfig& board : config.boards) {
    std::vector<std::pair<std::string, std::uint32_t>> kinds;  // each kind with its number of QPs
    for (const config::QpConfig& qp : board.qps) {
      const std::string text = pacers_of(board, qp);
      if (text.empty()) continue;
      const auto it =
          std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == text; });
      if (it == kinds.end()) {
        kinds.emplace_back(text, qp.count);
      } else {
        it->second += qp.count;
      }
    }
    for (const auto& [text, qps] : kinds) {
      lines.push_back(
          fmt::format("board {}, {} of {} QPs: {}", board.endpoint.name, qps, qps_of(board), text));
    }
    if (board.link_rate) {
      lines.push_back(fmt::format("board {}, link: {} on the wire, one frame at a time", board.endpoint.name,
                                  config::format_bandwidth(*board.link_rate)));
    }
  }
  std::vector<std::string> offloads;
  for (const config::PortConfig& port : config.ports) {
    if (port.pacing != config::Pacing::kSoftware) offloads.push_back(port_pacer(port));
  }
  if (lines.empty()) return offloads;
  if (lines.size() > kMostLines) {
    const std::size_t more = lines.size() - kMostLines;
    lines.resize(kMostLines);
    lines.push_back(fmt::format("... and {} more", more));
  }
  lines.insert(lines.end(), offloads.begin(), offloads.end());
  if (!software(config)) return lines;
  lines.push_back(
      "pacer: software timing wheel; expected error: each QP within one packet of its rate while "
      "it has something to send; a packet may be late by one iteration of its worker's loop (doc/pacing.md)");
  return lines;
}

}  // namespace

void announce_run(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool) {
  for (std::size_t i = 0; i < dpdk.ports().size(); ++i) {
    const runtime::RunPort& p = dpdk.ports()[i];
    if (!p.is_here()) continue;
    const dataplane::Capabilities& c = p.port->capabilities();
    service::notice(fmt::format("port {}: {}, MTU {}, path MTU up to {}, {} queue{}, {}, flow control {}, {}",
                                p.name, c.driver, p.port->mtu(), p.port->largest_path_mtu(false), p.queues,
                                p.queues == 1 ? "" : "s",
                                runtime::attaches_payload(config, i, c) ? "payload attached without copying"
                                                                        : "payload copied into one segment",
                                p.port->flow_control().in_words, p.link_state()));
    for (const std::string& w : p.port->warnings()) service::warning(fmt::format("port {}: {}", p.name, w));
  }
  for (const std::string& line : pool.steering()) service::notice(line);
  service::notice(pool.map());
  for (const dataplane::FarPort& f : dataplane::far_ports(runtime::worker_rows(config, dpdk.lcores())))
    service::warning(fmt::format("port {}: {}; {}", f.port, f.found, f.fix));
  for (const std::string& line : pacer_lines(config)) service::notice(line);
  const char* const idle = config.workers.idle == config::IdlePolicy::kSpin    ? "spin"
                           : config.workers.idle == config::IdlePolicy::kPause ? "pause"
                                                                               : "sleep";
  service::notice(fmt::format("memory: {}; idle workers {}{}",
                              dpdk.huge_pages() ? "huge pages" : "ordinary pages", idle,
                              dataplane::shares_cpus(dpdk.lcores()) ? " (some threads share a CPU)" : ""));
}

void announce_control(const config::RunConfig& config, const slowcontrol::ControlService& service) {
  const auto& boards = service.boards();
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (boards.size() > kMostLines && i != 0 && i + 1 != boards.size()) {
      if (i == 1) service::notice(fmt::format("... and {} more boards, up to", boards.size() - 2));
      continue;
    }
    for (const std::string& line : control_lines(config, *boards[i])) service::notice(line);
  }
}

}  // namespace softfeb::report
