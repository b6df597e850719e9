// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/host_part.hpp"

#include "engine/snapshot_archive.hpp"
#include "experiment/endpoint_archive.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace softfeb::experiment {

namespace {

/// The members of an outcome that are copied unchanged.
struct Scalars {
  Time started = 0, measured_from = 0, stopped = 0, ended = 0;
  bool interrupted = false, flushed = false, ended_in_warmup = false, measured = false;
  std::uint64_t control_unserved = 0;
  dataplane::WorkerStats totals;
};

Scalars scalars_of(const stats::Outcome& o) {
  return {o.started,         o.measured_from,     o.stopped,          o.ended, o.interrupted, o.flushed,
          o.ended_in_warmup, !o.baseline.empty(), o.control_unserved, o.totals};
}

void set_scalars(stats::Outcome& o, const Scalars& s) {
  o.started = s.started;
  o.measured_from = s.measured_from;
  o.stopped = s.stopped;
  o.ended = s.ended;
  o.interrupted = s.interrupted;
  o.flushed = s.flushed;
  o.ended_in_warmup = s.ended_in_warmup;
  o.control_unserved = s.control_unserved;
  o.totals = s.totals;
}

const config::EndpointConfig& endpoint_of(const config::RunConfig& config, std::size_t e) {
  const std::size_t boards = config.boards.size();
  return e < boards ? config.boards[e].endpoint : config.receivers[e - boards].endpoint;
}

std::size_t endpoints_in(const config::RunConfig& config) {
  return config.boards.size() + config.receivers.size();
}

bool is_on(const config::RunConfig& config, std::size_t port, std::size_t host) {
  return config.ports[port].host == host;
}

/// Returns the indices of the endpoints on a host: boards first, then receivers.
std::vector<std::size_t> endpoints_of(const config::RunConfig& config, std::size_t host) {
  std::vector<std::size_t> all;
  for (std::size_t e = 0; e < endpoints_in(config); ++e)
    if (is_on(config, endpoint_of(config, e).port, host)) all.push_back(e);
  return all;
}

void write_json(const nlohmann::ordered_json& json, ArchiveWriter& out) {
  const std::string text = json.dump();
  out.item(std::uint64_t{text.size()});
  out.bytes(text.data(), text.size());
}

nlohmann::ordered_json read_json(ArchiveReader& in) {
  std::uint64_t size = 0;
  in.item(size);
  const ByteSpan text = in.view(size);
  return nlohmann::ordered_json::parse(text.begin(), text.end());
}

bool writes_memory(const config::RunConfig& config, std::size_t e) {
  return e >= config.boards.size() && !config.receivers[e - config.boards.size()].out.empty();
}

/// Adds `by` to all times of a snapshot. The arithmetic is modular, so `by` may represent a negative time.
class Mover {
 public:
  explicit Mover(Time by) : by_(by) {}

  void move(engine::EndpointSnapshot& s) const {
    move(s.taken_at);
    for (engine::SendQpSnapshot& qp : s.send_qps) {
      move(qp.first_completed);
      move(qp.counters.first_sent);
      move(qp.counters.last_completed);
    }
    for (engine::ReceiveQpSnapshot& qp : s.receive_qps) move(qp.last_uc_message);
  }

 private:
  /// 0 and kNever mean that there is no such time.
  void move(Time& at) const {
    if (at != 0 && at != kNever) at += by_;
  }

  Time by_;
};

void add_endpoints(const config::RunConfig& config, stats::Outcome& all, const HostPart& part) {
  const Mover mover(all.started - part.outcome.started);
  for (const std::size_t e : endpoints_of(config, part.host)) {
    all.final[e] = part.outcome.final[e];
    mover.move(all.final[e]);
    if (all.baseline.empty() || part.outcome.baseline.empty()) continue;
    all.baseline[e] = part.outcome.baseline[e];
    mover.move(all.baseline[e]);
  }
  // If the counters at the end of the warm-up are not available from all hosts, the statistics cover the
  // whole run.
  if (!part.outcome.baseline.empty() || all.baseline.empty()) return;
  all.baseline.clear();
  all.ended_in_warmup = true;
  all.measured_from = all.started;
}

}  // namespace

void write_part(const config::RunConfig& config, const HostPart& part, endpoints::Endpoints& endpoints,
                ArchiveWriter& out) {
  const stats::Outcome& o = part.outcome;
  out.item(std::uint64_t{part.host});
  out.item(part.figures);
  out.item(scalars_of(o));
  out.list(o.workers);
  out.list(o.cpu);
  out.list(o.changes_made);
  for (const std::size_t e : endpoints_of(config, part.host)) {
    engine::archive(out, o.final[e]);
    if (!o.baseline.empty()) engine::archive(out, o.baseline[e]);
    write_endpoint(endpoints, e, out, writes_memory(config, e));
    if (e < config.boards.size()) write_json(o.control.empty() ? nullptr : o.control[e], out);
  }
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (!is_on(config, p, part.host)) continue;
    out.list(o.fault_rules[p]);
    write_json(o.ports[p], out);
  }
}

void read_part(const config::RunConfig& config, ArchiveReader& in, HostPart& part,
               endpoints::Endpoints& endpoints) {
  stats::Outcome& o = part.outcome;
  std::uint64_t host = 0;
  Scalars scalars;
  in.item(host);
  in.item(part.figures);
  in.item(scalars);
  part.host = host;
  set_scalars(o, scalars);
  in.list(o.workers);
  in.list(o.cpu);
  in.list(o.changes_made);
  o.final.resize(endpoints_in(config));
  o.baseline.resize(scalars.measured ? endpoints_in(config) : 0);
  o.control.resize(config.boards.size());
  o.fault_rules.resize(config.ports.size());
  o.ports.resize(config.ports.size());
  for (const std::size_t e : endpoints_of(config, part.host)) {
    engine::archive(in, o.final[e]);
    if (scalars.measured) engine::archive(in, o.baseline[e]);
    read_endpoint(endpoints, e, in);
    if (e < config.boards.size()) o.control[e] = read_json(in);
  }
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (!is_on(config, p, part.host)) continue;
    in.list(o.fault_rules[p]);
    o.ports[p] = read_json(in);
  }
}

void write_counters(const config::RunConfig& config, std::size_t host, Time started,
                    std::vector<engine::EndpointSnapshot>& endpoints, ArchiveWriter& out) {
  out.item(std::uint64_t{host});
  out.item(started);
  for (const std::size_t e : endpoints_of(config, host)) engine::archive(out, endpoints[e]);
}

void read_counters(const config::RunConfig& config, Time started,
                   std::vector<engine::EndpointSnapshot>& endpoints, ArchiveReader& in) {
  std::uint64_t host = 0;
  Time there = 0;
  in.item(host);
  in.item(there);
  for (const std::size_t e : endpoints_of(config, host)) {
    engine::archive(in, endpoints[e]);
    Mover(started - there).move(endpoints[e]);
  }
}

void add_part(const config::RunConfig& config, stats::Outcome& all, const HostPart& part) {
  const stats::Outcome& o = part.outcome;
  add_endpoints(config, all, part);
  const auto later = [&](Time mine, Time there) { return std::max(mine, there - o.started + all.started); };
  all.stopped = later(all.stopped, o.stopped);
  all.ended = later(all.ended, o.ended);
  all.interrupted = all.interrupted || o.interrupted;
  all.flushed = all.flushed || o.flushed;
  all.control_unserved += o.control_unserved;
  all.totals += o.totals;
  all.workers.insert(all.workers.end(), o.workers.begin(), o.workers.end());
  all.cpu.insert(all.cpu.end(), o.cpu.begin(), o.cpu.end());
  all.worker_hosts.resize(all.workers.size(), part.host);
  for (std::size_t b = 0; b < config.boards.size(); ++b)
    if (is_on(config, config.boards[b].endpoint.port, part.host)) all.control[b] = o.control[b];
  for (std::size_t c = 0; c < config.changes.size(); ++c)
    if (is_on(config, config.boards[config.changes[c].board].endpoint.port, part.host))
      all.changes_made[c] = o.changes_made[c];
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (!is_on(config, p, part.host)) continue;
    all.fault_rules[p] = o.fault_rules[p];
    all.ports[p] = o.ports[p];
  }
  all.hosts[part.host] = part.figures;
}

std::optional<Time> first_packet(const config::RunConfig& config, std::size_t host, const stats::Outcome& o) {
  Time first = kNever;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    const config::BoardConfig& board = config.boards[b];
    if (!is_on(config, board.endpoint.port, host) || board.start != 0) continue;
    for (const engine::SendQpSnapshot& qp : o.final[b].send_qps)
      first = std::min(first, qp.counters.first_sent);
  }
  return first == kNever ? std::nullopt : std::optional(first - o.started);
}

}  // namespace softfeb::experiment
