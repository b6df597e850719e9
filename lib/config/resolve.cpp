// SPDX-License-Identifier: BSD-3-Clause
#include "board/profile.hpp"
#include "config/address.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/run_config.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace softfeb::config {
namespace {

/// Default memory of a receiver that acts as a host: enough for the PyRogue scripts for real boards
/// (doc/pyrogue.md), which use 256 slots of 9000 bytes.
constexpr std::uint64_t kHostMemory = std::uint64_t{4} << 20;

/// Returns the default of `allow`: the addresses of this host and, with slow control in band, the board's own
/// prefix.
std::vector<IpPrefix> default_networks(const EndpointConfig& board, const ControlConfig& control) {
  std::vector<IpPrefix> networks{*parse_network("127.0.0.0/8").value, *parse_network("::1").value};
  if (control.in_band) networks.push_back({network_of(board.ip, board.prefix_length), board.prefix_length});
  return networks;
}

using Names = std::map<std::string, std::vector<std::size_t>>;

std::vector<std::string> keys_of(const Names& names) {
  std::vector<std::string> keys;
  for (const auto& [name, indices] : names) keys.push_back(name);
  return keys;
}

class Resolver {
 public:
  Resolver(Reading& reading, const Draft& draft, std::vector<LabRing>& rings)
      : reading_(reading), draft_(draft), out_(draft.config), rings_(rings) {
    out_.places = reading.places;
    std::vector<std::size_t> open;
    for (std::size_t w = 0; w < out_.workers.count; ++w) {
      if (!draft.lab || out_.workers.count == 1 || w != network_worker(*draft.lab, out_.workers))
        open.push_back(w);
    }
    worker_of_ = spread(draft, open);
  }

  RunConfig run() {
    resolve_hosts(reading_, out_);
    for (std::size_t i = 0; i < out_.ports.size(); ++i)
      claim(port_names_, out_.ports[i].name, i, out_.ports[i].where);
    add_triggers();
    for (const BoardDraft& board : draft_.boards) add_board(board);
    for (const ReceiverDraft& receiver : draft_.receivers) add_receiver(receiver);
    std::size_t next = 0;
    for (const BoardDraft& board : draft_.boards) {
      for (std::uint32_t i = 0; i < board.endpoint.count && next < out_.boards.size(); ++i) {
        const std::uint32_t ports = board.endpoint.ports;
        if (board.control && i % ports == 0) add_control(board, out_.boards[next], i / ports);
        if (out_.boards[next].events) add_events(out_.boards[next]);
        add_traffic_gen(out_.boards[next], i);
        add_qps(board, out_.boards[next++], i);
      }
    }
    size_memory();
    number_event_boards(out_);
    for (BoardConfig& board : out_.boards) {
      for (QpConfig& qp : board.qps) fill_slots(qp);
    }
    return std::move(out_);
  }

 private:
  void problem(const Where& section, const char* key, std::string message, std::string fix) {
    reading_.problem(out_.place(section, key), std::move(message), std::move(fix));
  }

  void claim(Names& names, const std::string& name, std::size_t index, const Where& where) {
    if (!names.emplace(name, std::vector{index}).second) {
      problem(where, "name", "the name \"" + name + "\" is taken", "give each its own name");
    }
  }

  /// Returns the indices of `name`. If there are none, reports a problem that suggests the closest name, and
  /// returns null.
  const std::vector<std::size_t>* look_up(const Names& names, const std::string& name, const Where& where,
                                          const char* what) {
    const auto found = names.find(name);
    if (found != names.end()) return &found->second;
    const std::vector<std::string> all = keys_of(names);
    std::string fix;
    if (const std::string* near = nearest(name, all)) {
      fix = "did you mean `" + *near + "`?";
    } else {
      for (const std::string& n : all) fix += (fix.empty() ? "write one of " : ", ") + n;
      if (all.empty()) fix = "this file has none; add it";
    }
    reading_.problem(where, "no " + std::string(what) + " \"" + name + '"', fix);
    return nullptr;
  }

  /// Returns replica `i` of an endpoint. Appends a suffix to its name, and increments its MAC and IP
  /// addresses.
  EndpointConfig replica(const EndpointDraft& draft, std::uint32_t i) {
    EndpointConfig e = draft.config;
    if (draft.count > draft.ports) e.name += '-' + std::to_string(i / draft.ports);
    if (draft.ports > 1) e.name += '.' + std::to_string(i % draft.ports);
    e.worker = worker_of_[placed_++];
    const bool several = !draft.port_names.empty();
    const std::string& name = several ? draft.port_names[i % draft.ports] : draft.port;
    if (name.empty()) {
      e.port = ring_of(e.worker);
    } else if (const auto* port =
                   look_up(port_names_, name, out_.place(e.where, several ? "ports" : "port"), "port")) {
      e.port = port->front();
    }
    const auto ip = add(e.ip, i);
    if (!ip || !same_prefix(*ip, e.ip, e.prefix_length)) {
      problem(e.where, "count", "counting up from " + to_string(e.ip) + " leaves the prefix",
              "use a shorter prefix, or fewer");
      return e;
    }
    e.ip = *ip;
    const auto mac = draft.mac_given ? add(e.mac, i) : mac_for(e.ip);
    if (!mac) {
      problem(e.where, "mac", "counting up from " + to_string(e.mac) + " overflows the last three bytes",
              "start with a lower address");
    }
    e.mac = mac.value_or(e.mac);
    return e;
  }

  /// Returns the ring port that connects endpoints of `worker` to the network. Creates it if necessary.
  std::size_t ring_of(std::size_t worker) {
    for (const LabRing& ring : rings_) {
      if (ring.worker == worker) return ring.near_port;
    }
    const std::string number = std::to_string(worker);
    LabRing ring;
    ring.worker = worker;
    ring.near_port = add_ring_port("worker" + number, "lab" + number);
    ring.far_port = add_ring_port("network" + number, "lab" + number);
    rings_.push_back(ring);
    return ring.near_port;
  }

  std::size_t add_ring_port(const std::string& name, const std::string& link) {
    PortConfig port;
    port.name = name;
    port.device = {DeviceKind::kRing, "net_ring:" + link, link};
    port.mtu = draft_.lab->mtu;
    port.where = draft_.lab->network_where;
    claim(port_names_, name, out_.ports.size(), port.where);
    out_.ports.push_back(std::move(port));
    return out_.ports.size() - 1;
  }

  /// Appends the replicas of `draft` to `all`; stops at the first replica with a problem.
  template <class Draft, class Config, class Adjust>
  std::vector<std::size_t> replicate(const Draft& draft, std::vector<Config>& all, Adjust adjust) {
    std::vector<std::size_t> indices;
    const std::size_t problems = reading_.problems.size();
    for (std::uint32_t i = 0; i < draft.endpoint.count && problems == reading_.problems.size(); ++i) {
      Config config = draft.config;
      config.endpoint = replica(draft.endpoint, i);
      adjust(config, i);
      indices.push_back(all.size());
      claim(endpoint_names_, config.endpoint.name, all.size(), config.where);
      all.push_back(std::move(config));
    }
    return indices;
  }

  /// Adds the triggers. Random sources have different seeds, which depend on the seed of the run.
  void add_triggers() {
    for (std::size_t t = 0; t < out_.triggers.size(); ++t) {
      TriggerConfig& trigger = out_.triggers[t];
      claim(trigger_names_, trigger.name, t, trigger.where);
      for (std::size_t i = 0; i < trigger.sources.size(); ++i)
        trigger.sources[i].source.seed = trigger.sources[i].seed.value_or(out_.run.seed + i);
    }
  }

  /// Resolves the names of event data, and adds one queue pair for each builder.
  void add_events(BoardConfig& board) {
    BoardEventsConfig& e = *board.events;
    const auto* trigger = look_up(trigger_names_, e.trigger_name, out_.place(e.where, "trigger"), "trigger");
    if (trigger == nullptr) return board.events.reset();
    e.trigger = trigger->front();
    if (!find_builders(e)) return board.events.reset();
    QpConfig qp;
    qp.where = e.where;
    qp.to_where = out_.place(e.where, "to");
    qp.transport = e.transport;
    qp.qpn = 0x100;
    qp.timeout = e.timeout;
    qp.retry_count = e.retry_count;
    const detector::EventLayout layout = e.layout();
    qp.window = qp.send_queue = layout.pieces_of(layout.largest()) * e.fifo;
    qp.traffic.where = e.where;
    qp.traffic.verb = roce::WrOpcode::kWriteImm;
    qp.traffic.message_size = 0;  // messages differ in length
    qp.traffic.messages = 0;      // these QPs generate no messages of their own
    qp.traffic.slots = 1;
    add_event_qps(board, qp);
  }

  /// Sets EventBuilders::receivers if `e` names receivers of this file, not rdma-sinks. Reports builders that
  /// are named twice. Returns false if a name is unknown.
  bool find_builders(BoardEventsConfig& e) {
    EventBuilders& b = e.builders;
    for (std::size_t i = 0; b.sinks.empty() && i < e.to_names.size(); ++i) {
      const auto* indices = look_up(receiver_names_, e.to_names[i], out_.place(e.where, "to"), "receiver");
      if (indices == nullptr) return false;
      b.receivers.insert(b.receivers.end(), indices->begin(), indices->end());
    }
    const char* const kind = b.sinks.empty() ? "a receiver" : "an rdma-sink";
    if (std::set(b.receivers.begin(), b.receivers.end()).size() +
            std::set(b.sinks.begin(), b.sinks.end()).size() !=
        b.size())
      problem(e.where, "to", std::string("names ") + kind + " twice", "name each builder once");
    return b.size() != 0;
  }

  /// Adds a queue pair like `qp` for each builder. Each rdma-sink gets a group of its own, because a group
  /// has one target.
  void add_event_qps(BoardConfig& board, QpConfig qp) {
    const BoardEventsConfig& e = *board.events;
    const auto add = [&](std::uint32_t count, Target to, const std::string& text) {
      qp.count = count;
      qp.to = std::move(to);
      qp.to_text = text;
      qp.pmtu = e.pmtu.value_or(default_pmtu(board, qp));
      board.qps.push_back(qp);
      qp.qpn += count;
    };
    if (e.builders.sinks.empty())
      return add(e.builders.size(), ReceiverTarget{e.builders.receivers}, e.to_names.front());
    for (std::size_t i = 0; i < e.builders.sinks.size(); ++i) add(1, e.builders.sinks[i], e.to_names[i]);
  }

  /// Resolves the destination of the traffic generator of one port, which sends to one receiver. `i` is the
  /// number of the port, counted over all replicas of the board.
  void add_traffic_gen(BoardConfig& board, std::uint32_t i) {
    const BoardConfig& first =
        out_.boards[static_cast<std::size_t>(&board - out_.boards.data()) - board.on_port];
    const bool in_profile =
        first.control && board::traffic_gens(*board::find_profile(first.control->profile)) != 0;
    if (!board.traffic_gen && in_profile) board.traffic_gen.emplace();
    if (!board.traffic_gen || !board.traffic_gen->given) return;
    TrafficGenConfig& t = *board.traffic_gen;
    for (const std::string& name : t.to_names) {
      const auto* indices = look_up(receiver_names_, name, out_.place(t.where, "to"), "receiver");
      if (indices == nullptr) return;
      t.receivers.insert(t.receivers.end(), indices->begin(), indices->end());
    }
    if (t.receivers.empty()) return;
    const std::size_t receiver = t.receivers[i % t.receivers.size()];
    t.receivers = {receiver};
    const IpAddress& ip = out_.receivers[receiver].endpoint.ip;
    if (t.registers.dest_ip == 0 && ip.is_v4()) t.registers.dest_ip = ip.v4();
    QpConfig qp = generator_qps(t, receiver);
    qp.pmtu = t.pmtu.value_or(default_pmtu(board, qp));
    board.qps.push_back(std::move(qp));
  }

  void add_board(const BoardDraft& draft) {
    replicate(draft, out_.boards, [&](BoardConfig& board, std::uint32_t i) {
      board.ports = draft.endpoint.ports;
      board.on_port = i % board.ports;
      if (!draft.starts.empty()) board.start = draft.starts[i % draft.starts.size()];
      if (!draft.stops.empty()) board.stop = draft.stops[i % draft.stops.size()];
      roce::SourcePortPolicy& port = board.udp_source_port;
      if (port.kind != roce::SourcePortPolicy::Kind::kFixed) return;
      if (port.first + i > 65'535) {
        return problem(board.where, "udp_source_port", "the last port exceeds 65535",
                       "start with a lower port");
      }
      port.first = port.last = static_cast<std::uint16_t>(port.first + i);
    });
  }

  /// Changes the name of a file to that of replica `i`, for example from file.ext to file-1.ext.
  static void number_file(std::string& file, std::uint32_t i) {
    if (file.empty()) return;
    std::filesystem::path path(file);
    const std::string name = path.stem().string() + '-' + std::to_string(i) + path.extension().string();
    file = path.replace_filename(name).string();
  }

  void add_receiver(const ReceiverDraft& draft) {
    const std::uint32_t count = draft.endpoint.count;
    const auto indices = replicate(draft, out_.receivers, [&](ReceiverConfig& receiver, std::uint32_t i) {
      receiver_memory_given_.push_back(draft.memory_given);
      if (count == 1) return;
      number_file(receiver.out, i);
      if (receiver.events) number_file(receiver.events->out, i);
    });
    for (const std::size_t i : indices) receiver_names_[out_.receivers[i].endpoint.name] = {i};
    receiver_names_[draft.endpoint.config.name] = indices;
  }

  void add_control(const BoardDraft& draft, BoardConfig& board, std::uint32_t replica) {
    ControlConfig control = draft.control->config;
    if (!draft.control->send_queue_given) control.send_queue = std::max(control.send_queue, control.window);
    if (!draft.control->allow_given) control.allow = default_networks(board.endpoint, control);
    if (control.listen && draft.endpoint.count > draft.endpoint.ports)
      control.listen = count_up(control, replica);
    if (const std::string& name = draft.control->responder; !name.empty()) {
      const auto* indices =
          look_up(receiver_names_, name, out_.place(control.where, "responder"), "receiver");
      if (indices != nullptr && !indices->empty()) {
        control.responder = (*indices)[replica % indices->size()];
        plays_host_.insert(*control.responder);
      }
    }
    board.control = std::move(control);
  }

  /// Returns the address on which replica `replica` listens.
  IpAddress count_up(const ControlConfig& control, std::uint32_t replica) {
    const auto ip = is_any(*control.listen) ? std::nullopt : add(*control.listen, replica);
    if (!ip) {
      problem(control.where, "listen", "cannot count up from " + to_string(*control.listen),
              "write the address of the first replica, for example 127.0.0.1");
    }
    return ip.value_or(*control.listen);
  }

  void add_qps(const BoardDraft& draft, BoardConfig& board, std::uint32_t replica) {
    std::uint64_t next_qpn = 0x100;
    for (const QpDraft& qp : draft.qps) {
      if (qp.qpn_given) next_qpn = std::max(next_qpn, std::uint64_t{qp.config.qpn} + qp.config.count);
    }
    for (const QpDraft& qp : draft.qps) {
      QpConfig config = qp.config;
      aim(qp, config, std::uint64_t{replica} * config.count);
      if (!qp.qpn_given) {
        config.qpn = static_cast<std::uint32_t>(std::min<std::uint64_t>(next_qpn, kMaxQpn));
        next_qpn += config.count;
      }
      if (!qp.pmtu_given) config.pmtu = default_pmtu(board, config);
      if (!qp.send_queue_given) config.send_queue = std::max(config.send_queue, config.window);
      bound_messages(config.traffic);
      board.qps.push_back(std::move(config));
    }
  }

  /// Resolves the target of a QP group. `before` is the number of QPs of the same group on previous replicas.
  void aim(const QpDraft& draft, QpConfig& qp, std::uint64_t before) {
    if (auto* address = std::get_if<AddressTarget>(&qp.to)) {
      address->qpn = static_cast<std::uint32_t>(std::min<std::uint64_t>(address->qpn + before, kMaxQpn));
      address->address += before * address->length;
    }
    if (draft.to_names.empty()) return;
    ReceiverTarget target;
    for (const std::string& name : draft.to_names) {
      const auto* indices = look_up(receiver_names_, name, qp.to_where, "receiver");
      if (indices == nullptr) return;
      target.receivers.insert(target.receivers.end(), indices->begin(), indices->end());
    }
    auto& r = target.receivers;
    if (!r.empty())
      std::rotate(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(before % r.size()), r.end());
    qp.to = std::move(target);
  }

  /// Returns the largest path MTU for which packets fit the MTU of all ports used by the board and its
  /// receivers. A port without `mtu` is assumed to have an MTU of 1500 bytes; the result is then at most
  /// 1024.
  std::uint32_t default_pmtu(const BoardConfig& board, const QpConfig& qp) const {
    std::uint32_t mtu = out_.ports[board.endpoint.port].mtu.value_or(1500);
    if (const auto* target = std::get_if<ReceiverTarget>(&qp.to)) {
      for (const std::size_t r : target->receivers) {
        mtu = std::min(mtu, out_.ports[out_.receivers[r].endpoint.port].mtu.value_or(1500));
      }
    }
    std::uint32_t pmtu = 4096;
    const std::uint32_t overhead =
        packet_overhead(!board.endpoint.ip.is_v4()) + congestion_header_bytes(board, qp);
    while (pmtu > 256 && pmtu + overhead > mtu) pmtu /= 2;
    return pmtu;
  }

  void bound_messages(TrafficConfig& traffic) const {
    const auto bound = [&](std::uint64_t n) { traffic.messages = std::min(n, traffic.messages.value_or(n)); };
    if (out_.run.messages) bound(*out_.run.messages);
    if (const auto n = file_messages(traffic)) bound(*n);
  }

  /// Sets the memory size of receivers that do not specify `memory` to the size that the QPs sending to
  /// them need. A receiver that acts as a host gets at least kHostMemory.
  void size_memory() {
    for (const std::size_t r : plays_host_) {
      if (!receiver_memory_given_[r]) out_.receivers[r].memory = kHostMemory;
    }
    for (const BoardConfig& board : out_.boards) {
      for (const QpConfig& qp : board.qps) {
        const auto* target = std::get_if<ReceiverTarget>(&qp.to);
        if (target == nullptr) continue;
        for (const std::size_t r : target->receivers) {
          ReceiverConfig& receiver = out_.receivers[r];
          if (receiver.windows) {
            receiver.memory = std::uint64_t{receiver.windows->ring} * qp.traffic.message_size;
          } else if (!receiver_memory_given_[r]) {
            receiver.memory = std::max(receiver.memory, memory_needed(qp.traffic, qp.count));
          }
        }
      }
    }
  }

  void fill_slots(QpConfig& qp) const {
    if (qp.traffic.slots != 0) return;
    if (const auto region = region_length(out_, qp); region && qp.traffic.transfer) {
      const TransferConfig& t = *qp.traffic.transfer;
      const std::uint64_t fit = *region * qp.count / (t.segments() * t.segment_bytes());
      qp.traffic.slots = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, 1, UINT32_MAX));
    } else if (region)
      qp.traffic.slots = slots_in(*region, qp.traffic.message_size);
  }

  Reading& reading_;
  const Draft& draft_;
  RunConfig out_;
  Names port_names_;
  Names endpoint_names_;
  Names receiver_names_;
  Names trigger_names_;
  std::vector<bool> receiver_memory_given_;
  std::set<std::size_t> plays_host_;  ///< indices of receivers that act as hosts
  std::vector<LabRing>& rings_;
  /// Worker of each endpoint. Boards come first, then receivers, with replicas expanded.
  std::vector<std::size_t> worker_of_;
  std::size_t placed_ = 0;
};

}  // namespace

RunConfig resolve(Reading& reading, const Draft& draft, std::vector<LabRing>& rings) {
  return Resolver(reading, draft, rings).run();
}

}  // namespace softfeb::config
