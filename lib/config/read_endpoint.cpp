// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"

namespace softfeb::config {
namespace {

void read_worker(Section& s, std::vector<std::size_t>& workers) {
  const Node* node = s.find("worker");
  if (node == nullptr) return;
  const auto one = [&](const Node& n) { s.scalar(n, workers.emplace_back(), integer(0, 127)); };
  if (node->kind != Node::Kind::kList) return one(*node);
  for (const Node& n : node->children) one(n);
}

void read_neighbours(Section& s, std::vector<Neighbour>& neighbours) {
  const Node* node = s.find("neighbours");
  if (node == nullptr || node->kind == Node::Kind::kNull) return;
  if (node->kind != Node::Kind::kMap) {
    s.reading().problem(node->where, "is not a map", "write one line `IP: MAC` for each neighbour");
    return;
  }
  for (const Node& child : node->children) {
    Neighbour neighbour;
    auto ip = parse_ip(child.name);
    if (!ip.value) {
      s.reading().problem(child.where, ip.message, ip.fix);
    } else if (s.scalar(child, neighbour.mac, parse_mac)) {
      neighbour.ip = *ip.value;
      neighbours.push_back(neighbour);
    }
  }
}

}  // namespace

EndpointDraft read_endpoint(Section& s) {
  EndpointDraft draft;
  EndpointConfig& e = draft.config;
  e.where = s.where();
  s.require("name", e.name, parse_text, "feb0");
  s.read("count", draft.count, integer(1, 65'536));
  draft.port_given = s.given("port");
  s.read("port", draft.port, parse_text);
  read_worker(s, draft.workers);
  draft.mac_given = s.read("mac", e.mac, parse_mac);
  IpPrefix prefix;
  if (s.require("ip", prefix, parse_ip_prefix, "10.0.0.1/24")) {
    e.ip = prefix.ip;
    e.prefix_length = prefix.length;
  }
  s.read("vlan", e.vlan, integer(1, 4094));
  s.read("pcp", e.pcp, integer(0, 7));
  s.read("gateway", e.gateway, parse_ip);
  read_neighbours(s, e.neighbours);
  s.read("dscp", e.dscp, integer(0, 63));
  s.read("ecn", e.ecn, choices::kEcn);
  s.read("ttl", e.ttl, integer(1, 255));
  s.read("pause", e.pause, choices::kPauseMode);
  if (!e.vlan && e.pcp != 0) {
    s.reading().problem(s.find("pcp")->where, "a priority requires a VLAN tag", "add `vlan: ID`");
  }
  return draft;
}

}  // namespace softfeb::config
