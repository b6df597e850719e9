// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/checks.hpp"
#include "config/draft.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace softfeb::config {
namespace {

/// Returns `name` with the host of the port, because every host may have a device of this name.
std::string on_host(const RunConfig& config, std::size_t port, const std::string& name) {
  const auto host = config.ports[port].host;
  return host ? name + '@' + std::to_string(*host) : name;
}

/// Returns a text that is the same for all endpoints on one network. It names the network of the lab or, for
/// an endpoint without a link, the ring or the port, and the VLAN.
std::string network_key(const RunConfig& config, const EndpointConfig& e) {
  if (e.network) return "network " + std::to_string(*e.network);
  const Device& device = config.ports[e.port].device;
  const std::string base = device.kind == DeviceKind::kRing ? "ring " + on_host(config, e.port, device.name)
                                                            : "port " + config.ports[e.port].name;
  return e.vlan ? base + " VLAN " + std::to_string(*e.vlan) : base;
}

/// Returns false for the network and broadcast addresses of an IPv4 prefix. Prefixes longer than /30 have
/// neither (RFC 3021).
bool is_host(const IpAddress& ip, std::uint8_t length) {
  constexpr std::uint8_t kLongest = 30;
  if (!ip.is_v4() || length > kLongest) return true;
  const auto next = add(ip, 1);
  return ip != config::network_of(ip, length) && next && same_prefix(ip, *next, length);
}

class Checker {
 public:
  Checker(Reading& reading, const RunConfig& config) : reading_(reading), config_(config) {}

  void run(std::int64_t now_unix_ns) {
    check_run(now_unix_ns);
    check_workers();
    check_ports();
    for (const BoardConfig& board : config_.boards) check_endpoint(board.endpoint);
    for (const BoardConfig& board : config_.boards) check_pacing(board);
    for (const ReceiverConfig& receiver : config_.receivers) check_receiver(receiver);
    for (const BoardConfig& board : config_.boards) check_qps(reading_, config_, board);
    check_grants(reading_, config_);
    check_perftest_servers(reading_, config_);
    check_windows(reading_, config_);
    check_events(reading_, config_);
    check_traffic_gens(reading_, config_);
    check_streams(reading_, config_);
    check_transfers(reading_, config_);
    check_ordering(reading_, config_);
    check_neighbours(reading_, config_);
    check_controls(reading_, config_);
    check_faults(reading_, config_);
  }

 private:
  void problem(const Where& section, const char* key, std::string message, std::string fix) {
    reading_.problem(config_.place(section, key), std::move(message), std::move(fix));
  }

  void check_run(std::int64_t now_unix_ns) {
    const RunSettings& run = config_.run;
    if (run.duration == Time{0})
      problem(run.where, "duration", "a run of zero length sends nothing", "write for example 10s");
    if (run.duration && run.warmup != 0 && run.warmup >= *run.duration) {
      problem(run.where, "warmup", "leaves no time to measure", "make it shorter than `duration`");
    }
    for (const BoardConfig& board : config_.boards) check_times(board);
    if (run.start_at_unix_ns && *run.start_at_unix_ns <= now_unix_ns) {
      problem(run.where, "start_at", "lies in the past", "write a later time, or remove it to start at once");
    }
  }

  void check_times(const BoardConfig& board) {
    if (config_.run.duration && board.start >= *config_.run.duration) {
      problem(board.where, "start", "the run has ended by then", "write a time before `run.duration`");
    }
    if (board.stop && *board.stop <= board.start) {
      problem(board.where, "stop", "its traffic stops before it starts", "write a later time than `start`");
    }
  }

  void check_workers() {
    const WorkersConfig& workers = config_.workers;
    const std::set<unsigned> distinct(workers.cpus.begin(), workers.cpus.end());
    if (distinct.size() != workers.cpus.size()) {
      problem(workers.where, "cpus", "a CPU is listed twice", "give each worker its own CPU");
    }
    if (workers.idle == IdlePolicy::kSpin && workers.main_cpu && distinct.count(*workers.main_cpu) != 0) {
      problem(workers.where, "main_cpu", "a spinning worker uses this CPU",
              "use another CPU, or `idle: sleep`");
    }
  }

  void check_ports() {
    std::map<std::string, std::vector<const PortConfig*>> links;
    std::map<std::string, const PortConfig*> devices;
    for (std::size_t p = 0; p < config_.ports.size(); ++p) {
      const PortConfig& port = config_.ports[p];
      if (port.device.kind == DeviceKind::kRing) {
        links[on_host(config_, p, port.device.name)].push_back(&port);
      } else if (port.device.kind != DeviceKind::kNull &&
                 !devices.emplace(on_host(config_, p, port.device.text), &port).second) {
        problem(port.where, "device", "two ports use one device", "remove one of them");
      }
      if (port.capture) claim_file(config_.place(port.capture->where, "file"), port.capture->file);
    }
    for (const auto& [link, ends] : links) {
      if (ends.size() == 2) continue;
      const std::string at = ends.back()->host_name.empty() ? "" : " on host " + ends.back()->host_name;
      problem(ends.back()->where, "device",
              "link \"" + ends.back()->device.name + "\" has " + std::to_string(ends.size()) +
                  (ends.size() == 1 ? " end" : " ends") + at,
              at.empty()
                  ? "name each link in exactly two ports"
                  : "name each link in exactly two ports of a host: a net_ring does not leave its host");
    }
  }

  /// Checks that the board has a link rate if its port has `pacing: queue_rate`, because softfeb limits each
  /// NIC queue to the sum of the link rates of the boards that use the queue.
  void check_pacing(const BoardConfig& board) {
    if (board.endpoint.network || board.link_rate) return;
    const PortConfig& port = config_.ports[board.endpoint.port];
    if (port.pacing != Pacing::kQueueRate) return;
    problem(board.where, "link_rate",
            "missing: port \"" + port.name +
                "\" has `pacing: queue_rate`, which needs the link rate of each board",
            "write for example `link_rate: 10Gb/s`, or `pacing: software` for the port");
  }

  void claim_file(const Where& where, const std::string& file) {
    if (!files_.insert(file).second)
      reading_.problem(where, '"' + file + "\" is written twice", "use another file name");
  }

  void check_endpoint(const EndpointConfig& e) {
    if (e.worker >= config_.workers.count) {
      problem(e.where, "worker", "there is no worker " + std::to_string(e.worker),
              "workers are numbered from 0; there are " + std::to_string(config_.workers.count) +
                  " (workers.count or workers.cpus)");
    }
    if (!is_host(e.ip, e.prefix_length)) {
      problem(e.where, "ip",
              to_string(e.ip) + " is the network address of its prefix, /" + std::to_string(e.prefix_length) +
                  ", or the broadcast address",
              "write the address of a single host, or another prefix length");
    }
    const std::string network = network_key(config_, e);
    // A MAC address that was derived from a duplicate IP address is also a duplicate. Report only one
    // problem.
    if (claim_address(e, "ip", network + to_string(e.ip), to_string(e.ip),
                      "give every board and receiver its own address")) {
      claim_address(e, "mac", network + to_string(e.mac), to_string(e.mac),
                    "give every board and receiver its own MAC, or omit it");
    }
    if (e.gateway && (!same_prefix(*e.gateway, e.ip, e.prefix_length) || *e.gateway == e.ip)) {
      problem(e.where, "gateway",
              to_string(*e.gateway) + " is not on the same subnet as " + to_string(e.ip) + '/' +
                  std::to_string(e.prefix_length),
              "write the router's address inside this prefix");
    }
    for (const Neighbour& neighbour : e.neighbours) {
      if (neighbour.ip.is_v4() != e.ip.is_v4()) {
        problem(e.where, "neighbours", to_string(neighbour.ip) + " has the other IP version",
                "use the IP version of `ip`");
      }
    }
  }

  bool claim_address(const EndpointConfig& e, const char* key, const std::string& unique,
                     const std::string& text, const char* fix) {
    const auto [first, fresh] = addresses_.emplace(unique, &e);
    if (!fresh) problem(e.where, key, text + " is already \"" + first->second->name + "\"'s", fix);
    return fresh;
  }

  void check_receiver(const ReceiverConfig& receiver) {
    check_endpoint(receiver.endpoint);
    if (!receiver.out.empty()) claim_file(config_.place(receiver.where, "out"), receiver.out);
    if (receiver.events && !receiver.events->out.empty())
      claim_file(config_.place(receiver.events->where, "out"), receiver.events->out);
  }

  Reading& reading_;
  const RunConfig& config_;
  std::set<std::string> files_;
  std::map<std::string, const EndpointConfig*> addresses_;
};

}  // namespace

void check(Reading& reading, const RunConfig& config, std::int64_t now_unix_ns) {
  Checker(reading, config).run(now_unix_ns);
}

}  // namespace softfeb::config
