// SPDX-License-Identifier: BSD-3-Clause
// Section `traffic_gen` of a board, and its list `ports`.
#include "board/profile.hpp"
#include "config/address.hpp"
#include "config/checks.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"

namespace softfeb::config {
namespace {

using board::TrafficGenSettings;

constexpr std::size_t kMostPorts = 4;  // number of traffic generators of profile softfeb-2026.12

Parsed<std::uint32_t> parse_ipv4(const std::string& text) {
  const auto ip = parse_ip(text);
  if (!ip.value) return ip.failure<std::uint32_t>();
  if (!ip.value->is_v4()) return {text + " does not fit into the register", "write an IPv4 address"};
  return ip.value->v4();
}

Parsed<std::uint32_t> parse_packet_size(const std::string& text) {
  const auto size = parse_size(text);
  if (!size.value) return size.failure<std::uint32_t>();
  if (*size.value == 0 || *size.value > TrafficGenSettings::kLongest)
    return {text + " is not the size of a packet", "write 1 to 8972 bytes"};
  return static_cast<std::uint32_t>(*size.value);
}

Parsed<std::uint32_t> parse_pmtu(const std::string& text) {
  const auto number = parse_integer(text, 256, 4096);
  if (number.value && roce::pmtu_legal(static_cast<std::uint32_t>(*number.value)))
    return static_cast<std::uint32_t>(*number.value);
  return {text + " is not a path MTU", "write 256, 512, 1024, 2048 or 4096"};
}

}  // namespace

void read_board_ports(Section& s, EndpointDraft& draft) {
  const Node* const node = s.find("ports");
  if (node == nullptr) return;
  if (draft.port_given)
    s.reading().problem(node->where, "the board has a `port` as well", "write either `port` or `ports`");
  if (node->kind != Node::Kind::kList) {
    s.scalar(*node, draft.ports, integer(1, kMostPorts));
  } else {
    draft.port_given = true;
    for (const Node& n : node->children) s.scalar(n, draft.port_names.emplace_back(), parse_text);
    draft.ports = static_cast<std::uint32_t>(draft.port_names.size());
    if (draft.port_names.empty() || draft.port_names.size() > kMostPorts) {
      draft.ports = 1;
      s.reading().problem(node->where, "a board has 1 to 4 ports", "name 1 to 4 ports, for example [p0, p1]");
    }
  }
  draft.count *= draft.ports;
}

TrafficGenConfig read_traffic_gen(Section s) {
  TrafficGenConfig t;
  t.where = s.where();
  t.given = true;
  s.read("start", t.start, parse_bool);
  s.read("mode", t.registers.mode, choices::kTrafficGenMode);
  s.read("packet_size", t.registers.packet_size, parse_packet_size);
  s.read("packet_count", t.registers.packet_count, integer(0, UINT32_MAX));
  s.read("gap", t.registers.gap, integer(0, UINT32_MAX));
  s.read("dest_port", t.registers.dest_port, integer(1, 65'535));
  s.read("streams", t.registers.streams, integer(1, 1024));
  s.read("dest_ip", t.registers.dest_ip, parse_ipv4);
  if (const Node* const to = s.find("to"); to != nullptr && to->kind == Node::Kind::kList) {
    for (const Node& n : to->children) s.scalar(n, t.to_names.emplace_back(), parse_text);
  } else if (to != nullptr) {
    s.scalar(*to, t.to_names.emplace_back(), parse_text);
  }
  s.read("transport", t.transport, choices::kTransport);
  s.read("pmtu", t.pmtu, parse_pmtu);
  s.read("window", t.window, integer(1, 65'536));
  s.read("timeout", t.timeout, integer(0, 31));
  s.read("retry_count", t.retry_count, integer(0, 7));
  s.close();
  return t;
}

QpConfig generator_qps(const TrafficGenConfig& t, std::size_t receiver) {
  QpConfig qp;
  qp.where = qp.to_where = qp.traffic.where = t.where;
  qp.count = t.registers.streams;
  qp.to = ReceiverTarget{{receiver}};
  qp.to_text = t.to_names.front();
  qp.transport = t.transport;
  qp.qpn = 0x100;
  qp.timeout = t.timeout;
  qp.retry_count = t.retry_count;
  qp.window = t.window;
  qp.send_queue = t.window;
  qp.traffic.verb = roce::WrOpcode::kWrite;
  qp.traffic.message_size = TrafficGenConfig::kSlotBytes;
  qp.traffic.messages = 0;  // the QP generates no messages of its own
  qp.traffic.slots = TrafficGenConfig::kSlots;
  return qp;
}

void check_traffic_gens(Reading& reading, const RunConfig& config) {
  for (const BoardConfig& board : config.boards) {
    if (!board.traffic_gen || !board.traffic_gen->given) continue;
    const TrafficGenConfig& t = *board.traffic_gen;
    const auto problem = [&](const char* key, std::string message, std::string fix) {
      reading.problem(config.place(t.where, key), std::move(message), std::move(fix));
    };
    const bool udp = t.registers.mode == TrafficGenSettings::Mode::kUdp;
    if (udp && !board.endpoint.ip.is_v4())
      problem("mode", "datagrams need IPv4", "give the board an IPv4 address, or write `mode: write`");
    if (t.start && !udp && !t.makes_qps())
      problem("to", "is missing: WRITEs need a receiver", "name a receiver, or write `mode: udp`");
    if (t.start && udp && t.registers.dest_ip == 0)
      problem("dest_ip", "is missing: the datagrams would wait for a destination",
              "write an IPv4 address, or name a receiver in `to`");
    for (const std::size_t r : t.receivers) {
      const ReceiverConfig& receiver = config.receivers[r];
      if (receiver.events || receiver.windows)
        problem("to",
                "receiver " + receiver.endpoint.name + " has `events` or `windows`, which need immediates",
                "name another receiver");
    }
  }
}

Json emit_traffic_gen(const RunConfig& config, const TrafficGenConfig& t) {
  Json json{{"start", t.start},
            {"mode", choices::kTrafficGenMode.name(t.registers.mode)},
            {"packet_size", format_size(t.registers.packet_size)},
            {"packet_count", t.registers.packet_count},
            {"gap", t.registers.gap},
            {"dest_port", t.registers.dest_port},
            {"streams", t.registers.streams}};
  if (t.registers.dest_ip != 0) json["dest_ip"] = to_string(IpAddress::from_v4(t.registers.dest_ip));
  if (!t.makes_qps()) return json;
  json["to"] = Json::array();
  for (const std::size_t r : t.receivers) json["to"].push_back(config.receivers[r].endpoint.name);
  json["transport"] = choices::kTransport.name(t.transport);
  if (t.pmtu) json["pmtu"] = *t.pmtu;
  json["window"] = t.window;
  json["timeout"] = t.timeout;
  json["retry_count"] = t.retry_count;
  return json;
}

}  // namespace softfeb::config
