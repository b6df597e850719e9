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
  s.read("cc_header", e.cc_header, parse_bool);
  if (!e.vlan && e.pcp != 0) {
    s.reading().problem(s.find("pcp")->where, "a priority requires a VLAN tag", "add `vlan: ID`");
  }
  return draft;
}

namespace {

/// Reads hashed, PORT, or [FIRST, LAST].
roce::SourcePortPolicy read_source_port(Section& s) {
  roce::SourcePortPolicy port;
  const Node* node = s.find("udp_source_port");
  if (node == nullptr) return port;
  const auto number = integer(1, 65'535);
  if (node->kind == Node::Kind::kList) {
    port.kind = roce::SourcePortPolicy::Kind::kRange;
    if (node->children.size() != 2) {
      s.reading().problem(node->where, "is not a range", "write [FIRST, LAST], for example [49152, 50175]");
    } else if (s.scalar(node->children[0], port.first, number) &&
               s.scalar(node->children[1], port.last, number) && port.first > port.last) {
      s.reading().problem(node->where, "the range ends before it starts", "write the smaller port first");
    }
  } else if (node->kind != Node::Kind::kScalar || node->text != "hashed") {
    port.kind = roce::SourcePortPolicy::Kind::kFixed;
    if (s.scalar(*node, port.first, number)) port.last = port.first;
  }
  return port;
}

/// Reads a single time, or a list that is assigned to the replicas round-robin.
void read_times(Section& s, const char* key, std::vector<Time>& times) {
  const Node* node = s.find(key);
  if (node == nullptr) return;
  const auto one = [&](const Node& n) { s.scalar(n, times.emplace_back(), parse_time); };
  if (node->kind != Node::Kind::kList) return one(*node);
  for (const Node& n : node->children) one(n);
}

CnpConfig read_cnp(Section s) {
  CnpConfig cnp;
  cnp.where = s.where();
  s.read("enabled", cnp.enabled, parse_bool);
  s.read("interval", cnp.interval, parse_time);
  s.read("scope", cnp.scope, choices::kCnpScope);
  s.close();
  return cnp;
}

Parsed<std::uint64_t> parse_receives(const std::string& text) {
  if (text == "unlimited") return std::uint64_t{UINT64_MAX};
  auto number = parse_integer(text, 0, UINT64_MAX - 1);
  if (!number.value) number.fix = "write a number of receive requests, or unlimited";
  return number;
}

/// Reads unlimited, a number, or {count, rate}.
void read_receives(Section& s, ReceiverConfig& receiver) {
  const Node* const node = s.find("receives");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::kMap) {
    s.scalar(*node, receiver.receives, parse_receives);
    return;
  }
  Section refill(s.reading(), *node, s.pattern("receives"));
  refill.require("count", receiver.receives, integer(1, UINT64_MAX - 1), "1000");
  Rate rate;
  if (refill.require("rate", rate, parse_rate, "1000msg/s")) {
    if (rate.unit == Rate::Unit::kMessages && rate.per_second <= kSecond) {
      receiver.receive_rate = rate.per_second;
    } else {
      s.reading().problem(refill.find("rate")->where, "is not a number of receive requests per second",
                          "write a rate in msg/s, for example 1000msg/s");
    }
  }
  refill.close();
}

}  // namespace

BoardDraft read_board(Section s) {
  BoardDraft draft;
  draft.endpoint = read_endpoint(s);
  read_board_ports(s, draft.endpoint);
  BoardConfig& board = draft.config;
  board.where = s.where();
  s.read("link_rate", board.link_rate, parse_bandwidth);
  board.udp_source_port = read_source_port(s);
  s.read("post_delay", board.post_delay, parse_time);
  read_times(s, "start", draft.starts);
  read_times(s, "stop", draft.stops);
  s.read("timing", board.timing, choices::kTiming);
  s.read("icrc", board.icrc, choices::kIcrc);
  board.congestion = read_congestion(s).value_or(CongestionConfig{});
  if (const Node* node = s.find("control"))
    draft.control = read_control(Section(s.reading(), *node, s.pattern("control")));
  if (const Node* node = s.find("events"))
    board.events = read_board_events(Section(s.reading(), *node, s.pattern("events")));
  if (const Node* node = s.find("traffic_gen"))
    board.traffic_gen = read_traffic_gen(Section(s.reading(), *node, s.pattern("traffic_gen")));
  if (board.traffic_gen && board.events) {
    s.reading().problem(board.traffic_gen->where, "the board has `events` as well",
                        "remove `traffic_gen` or `events`");
  }
  const char* const maker = board.events ? "events" : "traffic_gen";
  const bool makes_qps = board.events || (board.traffic_gen && !board.traffic_gen->to_names.empty());
  if (makes_qps && !s.list("qps").empty()) {
    s.reading().problem(s.find("qps")->where, std::string("a board with `") + maker + "` makes its own QPs",
                        std::string("remove `qps` or `") + maker + '`');
    s.close();
    return draft;
  }
  for (const Node& qp : s.list("qps"))
    draft.qps.push_back(read_qp(Section(s.reading(), qp, s.pattern("qps[]"))));
  s.close();
  return draft;
}

ReceiverDraft read_receiver(Section s) {
  ReceiverDraft draft;
  draft.endpoint = read_endpoint(s);
  ReceiverConfig& receiver = draft.config;
  receiver.where = s.where();
  draft.memory_given = s.read("memory", receiver.memory, parse_size);
  s.read("qpn", receiver.qpn, integer(2, 0xff'ffff));
  s.read("rnr_timer", receiver.rnr_timer, integer(0, 31));
  s.read("response_delay", receiver.response_delay, parse_time);
  read_receives(s, receiver);
  if (const Node* node = s.find("registration")) {
    receiver.registration = read_registration(Section(s.reading(), *node, s.pattern("registration")));
    receiver.registration.given = true;
  }
  if (const Node* node = s.find("windows")) {
    receiver.windows = read_windows(Section(s.reading(), *node, s.pattern("windows")));
    if (draft.memory_given) {
      s.reading().problem(s.find("memory")->where, "`windows` determines the memory",
                          "remove `memory`, and set `windows.ring`");
    }
  }
  if (const Node* node = s.find("events")) {
    receiver.events = read_receiver_events(Section(s.reading(), *node, s.pattern("events")));
    if (draft.memory_given) {
      s.reading().problem(s.find("memory")->where, "the boards' `events` determine the memory",
                          "remove `memory`, and set `slots` and `slot` of the boards");
    }
  }
  if (const Node* node = s.find("streams"))
    receiver.streams = read_streams(Section(s.reading(), *node, s.pattern("streams")));
  s.read("ordering", receiver.any_order, choices::kOrdering);
  s.read("ordering_timeout", receiver.ordering_timeout, parse_time);
  if (s.given("ordering_timeout") && (!receiver.any_order || receiver.ordering_timeout == 0)) {
    s.reading().problem(s.find("ordering_timeout")->where, "nothing waits for this time",
                        "write `ordering: any` and a time above 0, or remove it");
  }
  s.read("check", receiver.check_payload, choices::kCheck);
  if (const Node* node = s.find("cnp"))
    receiver.cnp = read_cnp(Section(s.reading(), *node, s.pattern("cnp")));
  s.read("out", receiver.out, parse_text);
  s.close();
  return draft;
}

}  // namespace softfeb::config
