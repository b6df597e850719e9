// SPDX-License-Identifier: BSD-3-Clause
#include "report/pacers.hpp"

#include "config/units.hpp"
#include "endpoints/endpoints.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr std::size_t kMostLines = 8;

std::string bucket(const dcqcn::BucketConfig& b) {
  return fmt::format("token bucket {} from {}", config::format_size(b.size), b.start_full ? "full" : "empty");
}

const char* scope(config::DcqcnConfig::Scope s) {
  switch (s) {
    case config::DcqcnConfig::Scope::kBoard:
      return "one rate for the board";
    case config::DcqcnConfig::Scope::kIpPair:
      return "one rate per receiver address";
    case config::DcqcnConfig::Scope::kQp:
      break;
  }
  return "one rate per QP";
}

std::string dcqcn_text(const config::DcqcnConfig& d) {
  if (d.algorithm == config::DcqcnConfig::Algorithm::kFirmware) {
    return fmt::format("DCQCN of the firmware{} (line rate {}, {}, {}{})",
                       d.firmware.parameters.dcqcn_bypass ? ", bypassed" : "",
                       config::format_bandwidth(d.firmware.build.line_rate), bucket(d.firmware.bucket),
                       scope(d.scope), d.firmware.build.wrap32 ? "" : ", 64 bits");
  }
  return fmt::format("DCQCN of the paper (line rate {}, {}, {})",
                     config::format_bandwidth(d.paper.parameters.line_rate), bucket(d.paper.bucket),
                     scope(d.scope));
}

bool by_packet(const config::Rate& r) {
  return r.unit == config::Rate::Unit::kPayloadBytes || r.unit == config::Rate::Unit::kPackets;
}

/// Empty: nothing holds these QPs back.
std::string pacers_of(const config::BoardConfig& board, const config::QpConfig& qp) {
  const config::DcqcnConfig& d = endpoints::dcqcn_of(board, qp);
  std::string text;
  const auto also = [&text](const std::string& what) { text += (text.empty() ? "" : " and ") + what; };
  if (d.algorithm != config::DcqcnConfig::Algorithm::kOff) also(dcqcn_text(d));
  if (by_packet(qp.traffic.rate)) {
    also(fmt::format("constant rate {} per QP, {}", config::format_rate(qp.traffic.rate),
                     qp.traffic.burst == 1 ? "evenly spaced packets"
                                           : fmt::format("{} packets back to back", qp.traffic.burst)));
  } else if (qp.traffic.rate.unit == config::Rate::Unit::kMessages) {
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

}  // namespace

namespace {

std::string port_pacer(const config::PortConfig& port) {
  const std::string begin = fmt::format("port {}, pacer: ", port.name);
  if (port.pacing == config::Pacing::kQueueRate) {
    return begin +
           "NIC queues enforce the link rate of their boards, all QPs of a queue together, in steps of 1 "
           "Mb/s; the worker enforces "
           "the rates of QPs; a rate change takes effect behind the packets already queued "
           "(doc/pacing-offloads.md)";
  }
  return begin +
         fmt::format(
             "the NIC sends each packet {} after its scheduled time; expected error: that of the NIC; "
             "CNPs take effect and acknowledgements leave that much later (doc/pacing-offloads.md)",
             config::format_time(port.pacing_horizon));
}

/// Where a board is paced by its worker alone.
bool software(const config::RunConfig& config) {
  return std::any_of(config.boards.begin(), config.boards.end(), [&](const config::BoardConfig& b) {
    return config.ports[b.endpoint.port].pacing == config::Pacing::kSoftware;
  });
}

}  // namespace

std::vector<std::string> pacer_lines(const config::RunConfig& config) {
  std::vector<std::string> lines;
  for (const config::BoardConfig& board : config.boards) {
    std::vector<std::pair<std::string, std::uint32_t>> kinds;  // and how many QPs
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
      "it has "
      "something to send; a packet may be late by one iteration of its worker's loop (doc/pacing.md)");
  return lines;
}

}  // namespace softfeb::report
