// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/draft.hpp"
#include "config/link_ends.hpp"
#include "fabric/names.hpp"
#include "fabric/topology.hpp"

#include <algorithm>
#include <optional>
#include <variant>

namespace softfeb::config {
namespace {

using fabric::NodeRef;

class LabResolver {
 public:
  LabResolver(Reading& reading, const LabDraft& draft, const Draft& names, LabConfig& out)
      : reading_(reading), draft_(draft), names_(names), out_(out), ends_(reading) {}

  void run() {
    out_.network.seed = out_.run.run.seed;
    out_.network.cc_port = out_.run.run.cc_port;
    out_.network.multipath = draft_.multipath;
    out_.network_worker = network_worker(draft_, out_.run.workers);
    for (const SwitchDraft& s : draft_.switches) add_switch(s);
    std::size_t next = 0;
    for (const BoardDraft& board : names_.boards) add_stations(board.endpoint, next);
    for (const ReceiverDraft& receiver : names_.receivers) add_stations(receiver.endpoint, next);
    add_rig_ports();
    add_ports();
    for (const LinkDraft& link : draft_.links) add_link(link);
    if (!reading_.problems.empty()) return;
    for (std::uint32_t i = 0; i < out_.network.stations.size(); ++i) settle(i);
    if (!reading_.problems.empty()) return;
    if (draft_.static_neighbours) add_neighbours();
    count_ports();
    count_flows();
    find_bottleneck();
    out_.parts = resolve_parts(reading_, draft_, ends_, out_);
  }

 private:
  EndpointConfig& endpoint(std::size_t i) {
    const std::size_t boards = out_.run.boards.size();
    return i < boards ? out_.run.boards[i].endpoint : out_.run.receivers[i - boards].endpoint;
  }

  void add_switch(const SwitchDraft& draft) {
    std::vector<NodeRef> group;
    for (std::uint32_t i = 0; i < draft.count; ++i) {
      fabric::SwitchConfig config = draft.config;
      if (draft.count > 1) config.name += '-' + std::to_string(i);
      if (config.int_id != 0) config.int_id = static_cast<std::uint16_t>(config.int_id + i);
      const NodeRef node{NodeRef::Kind::kSwitch, static_cast<std::uint32_t>(out_.network.switches.size())};
      ends_.add(config.name, {node}, out_.run.place(draft.where, "name"));
      group.push_back(node);
      out_.network.switches.push_back(std::move(config));
    }
    if (draft.count > 1) ends_.add(draft.config.name, group, out_.run.place(draft.where, "name"));
  }

  /// Adds the stations of one draft. `next` is the index of its first endpoint. Endpoints with a port of the
  /// file are not stations.
  void add_stations(const EndpointDraft& draft, std::size_t& next) {
    std::vector<NodeRef> group;
    for (std::uint32_t i = 0; i < draft.count; ++i, ++next) {
      const EndpointConfig& e = endpoint(next);
      if (draft.port_given) {
        ends_.refuse(e.name, "has a `port`", "remove its `port`, or this link");
        out_.station_of.emplace_back();
        continue;
      }
      const NodeRef node = add_station(e.name, e.mac, out_.run.place(e.where, "name"));
      out_.station_of.emplace_back(node.index);
      endpoint_of_.push_back(next);
      group.push_back(node);
    }
    if (draft.count == 1) return;
    if (draft.port_given)
      ends_.refuse(draft.config.name, "has a `port`", "remove its `port`, or this link");
    else
      ends_.add(draft.config.name, group, out_.run.place(draft.config.where, "name"));
  }

  NodeRef add_station(const std::string& name, std::optional<roce::MacAddress> mac, const Where& where) {
    const NodeRef node{NodeRef::Kind::kStation, static_cast<std::uint32_t>(out_.network.stations.size())};
    out_.network.stations.push_back({name, mac});
    wheres_.push_back(where);
    link_of_.emplace_back();
    ends_.add(name, {node}, where);
    return node;
  }

  /// Adds the rig ports of a switch test, which are the only stations of its network.
  void add_rig_ports() {
    const auto& test = out_.run.switch_test;
    if (!test) return;
    for (std::size_t p = 0; p < test->ports.size(); ++p)
      add_station(test->ports[p], std::nullopt, test->port_wheres[p]);
  }

  /// Adds the ports named by links as stations. Other ports are not part of the network.
  void add_ports() {
    for (std::size_t p = 0; p < names_.config.ports.size(); ++p) {
      const PortConfig& port = out_.run.ports[p];
      const bool named = std::any_of(draft_.links.begin(), draft_.links.end(), [&](const LinkDraft& link) {
        return link.ends[0] == port.name || link.ends[1] == port.name;
      });
      if (!named) continue;
      const NodeRef node = add_station(port.name, std::nullopt, out_.run.place(port.where, "name"));
      out_.port_stations.emplace_back(node.index, p);
    }
  }

  void add_link(const LinkDraft& draft) {
    const auto a = ends_.find(draft.ends[0], draft.ends_where[0]);
    const auto b = ends_.find(draft.ends[1], draft.ends_where[1]);
    if (a.empty() || b.empty()) return;
    if (a.size() > 1 && b.size() > 1) {
      return reading_.problem(draft.ends_where[1], "both ends name more than one node",
                              "name a single node at one end; each node at the other end gets a link");
    }
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      fabric::LinkConfig link = draft.config;
      link.a = a[a.size() > 1 ? i : 0];
      link.b = b[b.size() > 1 ? i : 0];
      if (!join(draft, link)) return;
      out_.network.links.push_back(link);
      out_.link_names.push_back(name_of(out_.network, link.a) + '-' +
                                fabric::peer_name(out_.network, link.a, out_.network.links.size() - 1));
      out_.link_wheres.push_back(draft.where);
    }
  }

  /// Reports a problem and returns false if the link closes a loop, or if a station already has a link.
  bool join(const LinkDraft& draft, const fabric::LinkConfig& link) {
    for (const NodeRef& node : {link.a, link.b}) {
      if (node.kind != NodeRef::Kind::kStation) continue;
      auto& first = link_of_[node.index];
      if (!first) {
        first = static_cast<std::uint32_t>(out_.network.links.size());
        continue;
      }
      const std::string name = name_of(out_.network, node);
      reading_.problem(draft.where, '"' + name + "\" already has a link",
                       "a board, receiver or port has one link: add a switch between, or remove a link");
      return false;
    }
    if (link.a == link.b && out_.network.multipath) {
      reading_.problem(draft.where,
                       "the link from \"" + name_of(out_.network, link.a) + "\" to itself closes a loop",
                       "name two different nodes in `ends`");
      return false;
    }
    if (forest_.join(out_.network, link.a, link.b) || out_.network.multipath) return true;
    reading_.problem(
        draft.where,
        "the link from \"" + name_of(out_.network, link.a) + "\" to \"" + name_of(out_.network, link.b) +
            "\" closes a loop",
        "remove one link of the loop, or let switches use several paths: `network.multipath: {mode: hash}`");
    return false;
  }

  /// Uses the link of a station to set the network of the station's endpoint and, for a board, the default of
  /// the link rate.
  void settle(std::uint32_t station) {
    if (!link_of_[station]) {
      return reading_.problem(wheres_[station],
                              "no link leads to \"" + out_.network.stations[station].name + '"',
                              "add it to the `ends` of a link, or give it a `port`");
    }
    if (station >= endpoint_of_.size()) return;  // the station is a port of the file
    const std::size_t e = endpoint_of_[station];
    endpoint(e).network = forest_.tree(out_.network, {NodeRef::Kind::kStation, station});
    if (e >= out_.run.boards.size()) return;
    std::optional<std::uint64_t>& rate = out_.run.boards[e].link_rate;
    if (!rate) rate = out_.network.links[*link_of_[station]].rate;
  }

  /// Adds static entries to each board for those receivers of its queue pairs that are reachable without the
  /// gateway.
  void add_neighbours() {
    for (BoardConfig& board : out_.run.boards) {
      for (const QpConfig& qp : board.qps) {
        const auto* const to = std::get_if<ReceiverTarget>(&qp.to);
        if (to == nullptr || !board.endpoint.network) continue;
        const std::size_t used = std::min<std::size_t>(qp.count, to->receivers.size());
        for (std::size_t i = 0; i < used; ++i)
          add_neighbour(board.endpoint, out_.run.receivers[to->receivers[i]].endpoint);
      }
    }
  }

  void count_ports() {
    constexpr std::size_t kMost = fabric::Topology::kNoPort;
    std::size_t ports = 0;
    for (const fabric::LinkConfig& link : out_.network.links) {
      for (const NodeRef& end : {link.a, link.b}) ports += end.kind == NodeRef::Kind::kSwitch ? 1 : 0;
    }
    if (ports <= kMost) return;
    reading_.problem(draft_.network_where,
                     "has " + std::to_string(ports) + " switch ports, more than the " +
                         std::to_string(kMost) + " that a network may have",
                     "use fewer boards, or simulate parts of the network in labs of their own");
  }

  /// Counts flows: each queue pair creates one to its receiver, and one in the opposite direction for ACKs
  /// and CNPs.
  void count_flows() {
    using fabric::NetworkConfig;
    std::uint64_t flows = 0;
    for (const BoardConfig& board : out_.run.boards) {
      if (!board.endpoint.network) continue;
      for (const QpConfig& qp : board.qps) flows += 2 * std::uint64_t{qp.count};
    }
    if (flows > NetworkConfig::kMostFlows) {
      return reading_.problem(draft_.network_where,
                              "carries " + std::to_string(flows / 2) + " queue pairs, more than the " +
                                  std::to_string(NetworkConfig::kMostFlows / 2) + " that a network can count",
                              "use fewer boards or a smaller `count` of queue pairs");
    }
    out_.network.flows = std::max(NetworkConfig::kUsualFlows, static_cast<std::uint32_t>(flows));
  }

  static void add_neighbour(EndpointConfig& e, const EndpointConfig& peer) {
    if (!same_prefix(e.ip, peer.ip, e.prefix_length) && e.gateway) return;
    const auto is_peer = [&](const Neighbour& n) { return n.ip == peer.ip; };
    if (std::none_of(e.neighbours.begin(), e.neighbours.end(), is_peer))
      e.neighbours.push_back({peer.ip, peer.mac});
  }

  /// Finds the link that the file names as SWITCH.PEER. Both names may contain dots, so the text is compared
  /// with the text of every link.
  void find_bottleneck() {
    const std::string& text = draft_.bottleneck;
    if (text.empty()) return;
    for (std::uint32_t l = 0; l < out_.network.links.size(); ++l) {
      const fabric::LinkConfig& link = out_.network.links[l];
      for (const NodeRef& from : {link.a, link.b}) {
        if (from.kind != NodeRef::Kind::kSwitch) continue;
        if (name_of(out_.network, from) + '.' + fabric::peer_name(out_.network, from, l) != text) continue;
        out_.lab.bottleneck = l;
        out_.lab.bottleneck_switch = from.index;
      }
    }
    if (out_.lab.bottleneck) return;
    std::string fix;
    for (const fabric::LinkConfig& link : out_.network.links) {
      const bool a = link.a.kind == NodeRef::Kind::kSwitch;
      if ((!a && link.b.kind != NodeRef::Kind::kSwitch) || fix.size() > 200) continue;
      fix += (fix.empty() ? "write SWITCH.PEER, for example " : ", ") +
             name_of(out_.network, a ? link.a : link.b) + '.' + name_of(out_.network, a ? link.b : link.a);
    }
    if (fix.empty()) fix = "remove it: no switch has a port";
    reading_.problem(draft_.bottleneck_where, "no switch port \"" + text + '"', fix);
  }

  Reading& reading_;
  const LabDraft& draft_;
  const Draft& names_;
  LabConfig& out_;
  LinkEnds ends_;
  Forest forest_;
  std::vector<Where> wheres_;                          ///< file, line and key of each station, for messages
  std::vector<std::optional<std::uint32_t>> link_of_;  ///< index of each station's link
  std::vector<std::size_t> endpoint_of_;  ///< endpoint index of each station that is a board or receiver
};

}  // namespace

std::size_t network_worker(const LabDraft& draft, const WorkersConfig& workers) {
  return draft.worker.value_or(workers.count - 1);
}

LabConfig resolve_lab(Reading& reading, const LabDraft& draft, const Draft& names, RunConfig run,
                      std::vector<LabRing> rings) {
  LabConfig config;
  config.run = std::move(run);
  config.lab = draft.lab;
  config.mtu = draft.mtu;
  config.rings = std::move(rings);
  // With real ports, a switch test has no network.
  if (!config.run.switch_test || config.run.switch_test->rig != switchtest::RigKind::kPorts)
    LabResolver(reading, draft, names, config).run();
  return config;
}

}  // namespace softfeb::config
