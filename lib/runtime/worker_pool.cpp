// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/worker_pool.hpp"

#include "dataplane/error.hpp"
#include "endpoints/addresses.hpp"
#include "endpoints/link_rules.hpp"
#include "endpoints/qp_congestion.hpp"
#include "runtime/network_setup.hpp"
#include "runtime/port_setup.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace softfeb::runtime {

namespace {

/// Interval between checks for a worker's answer.
constexpr Time kWait = 50 * kMicrosecond;

void sleep(Time length) { std::this_thread::sleep_for(std::chrono::nanoseconds(length / kNanosecond)); }

}  // namespace

WorkerPool::WorkerPool(const config::RunConfig& config, DpdkRuntime& dpdk, endpoints::Endpoints& endpoints,
                       const config::LabConfig* lab, std::span<dataplane::RingStamps* const> stamps,
                       const endpoints::Plans* plans)
    : config_(config),
      dpdk_(dpdk),
      endpoints_(endpoints),
      lab_(lab),
      stamps_(stamps.begin(), stamps.end()),
      pass_(sleep) {
  const auto count = static_cast<unsigned>(config.workers.count);
  for (unsigned w = 0; w < count; ++w) {
    workers_.push_back(std::make_unique<dataplane::Worker>(dpdk.lcore(w), config.workers.idle,
                                                           dpdk.clock().clock(), &dpdk.clock().updates()));
    if (!stamps_.empty()) stamps_[w]->set_clock(workers_.back()->clock());
  }
  for (std::size_t p = 0; p < config.ports.size(); ++p)
    maps_.push_back(std::make_unique<dataplane::PortMap>(count));
  cpu_.resize(workers_.size());
  cpu_times_.resize(workers_.size());
  cpu_begun_.resize(workers_.size());
  connect_doorbells();
  place_endpoints(config);
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (!config.is_here(p)) continue;
    if (!of_network(p)) add_port_queues(config, p);
    steer(config, p);
  }
  if (lab_ != nullptr) add_network(*lab_, plans);
  working_ = true;
  for (auto& w : workers_) w->launch();
}

WorkerPool::~WorkerPool() { quit(); }

void WorkerPool::place_endpoints(const config::RunConfig& config) {
  // Endpoints of other hosts have no worker.
  const auto place = [&](const config::EndpointConfig& e, engine::Endpoint& endpoint) -> dataplane::Worker* {
    if (!config.is_here(e)) {
      places_.emplace_back();
      owners_.push_back(0);
      return nullptr;
    }
    const auto worker = static_cast<unsigned>(e.worker);
    places_.push_back(std::pair(worker, workers_[worker]->endpoints().size()));
    owners_.push_back(static_cast<std::uint32_t>(maps_[e.port]->owners.size()));
    maps_[e.port]->add(endpoint, worker);
    return workers_[worker].get();
  };
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    const config::BoardConfig& c = config.boards[b];
    engine::Board& board = *endpoints_.boards[b];
    if (dataplane::Worker* const worker = place(c.endpoint, board))
      worker->add_board(board, {c.start, c.stop.value_or(kNever)});
  }
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    engine::Receiver& receiver = *endpoints_.receivers[r];
    if (dataplane::Worker* const worker = place(config.receivers[r].endpoint, receiver))
      worker->add_receiver(receiver);
  }
}

bool WorkerPool::of_network(std::size_t port) const {
  if (lab_ == nullptr) return false;
  return std::any_of(lab_->rings.begin(), lab_->rings.end(),
                     [port](const config::LabRing& r) { return r.far_port == port; }) ||
         std::any_of(lab_->port_stations.begin(), lab_->port_stations.end(),
                     [port](const auto& s) { return s.second == port; });
}

void WorkerPool::add_network(const config::LabConfig& lab, const endpoints::Plans* plans) {
  fabric::NetworkConfig network = network_in_real_time(lab);
  if (plans != nullptr) endpoints::add_link_rules(lab, *plans, network);
  workers_[lab.network_worker]->set_network(
      std::make_unique<dataplane::NetworkRelay>(network_settings(lab, dpdk_), network, dpdk_.pools()));
}

void WorkerPool::add_port_queues(const config::RunConfig& config, std::size_t index) {
  RunPort& port = dpdk_.ports()[index];
  const auto& capabilities = port.port->capabilities();
  for (std::size_t k = 0; k < port.workers.size(); ++k) {
    dataplane::TxBuilderConfig b;
    b.multi_segments = attaches_payload(config, index, capabilities);
    b.frame_bytes = port.frame_bytes;
    b.descriptors = config.ports[index].tx_descriptors;
    b.held = kHeldPackets;
    if (lab_ != nullptr) b.held += network_frames(*lab_);
    b.lcores = static_cast<unsigned>(config.workers.count) + 1;
    b.socket = capabilities.socket;
    builders_.push_back(std::make_unique<dataplane::TxBuilder>(b, &dpdk_.arena(), dpdk_.pools()));
    control_.push_back({index, port.workers[k], std::make_unique<dataplane::ControlExchange>()});

    dataplane::PortQueueConfig port_queue;
    port_queue.port = port.port->id();
    port_queue.tx_queue = static_cast<std::uint16_t>(k);
    for (std::size_t q = k; q < port.queues; q += port.workers.size()) {
      port_queue.rx_queues.push_back(static_cast<std::uint16_t>(q));
    }
    port_queue.burst = config.workers.burst;
    port_queue.worker = port.workers[k];
    dataplane::PortQueue::Deps deps;
    deps.map = maps_[index].get();
    deps.builder = builders_.back().get();
    deps.control = &control_.back().exchange->received();
    deps.control_frames = &control_.back().exchange->to_send();
    if (rings_control_thread()) deps.control_thread = &control_doorbell_;
    deps.far_ends = far_ends(config, index);
    if (!port.tx_faults.empty()) deps.tx_faults = port.tx_faults[k].get();
    if (!port.rx_faults.empty()) deps.rx_faults = port.rx_faults[k].get();
    if (!port.stamps.empty()) deps.stamps = port.stamps[k].get();
    if (!stamps_.empty()) deps.latency = stamps_[port_queue.worker];
    if (!port.captures.empty()) {
      const config::CaptureDirection d = config.ports[index].capture->direction;
      if (d != config::CaptureDirection::kTx) deps.rx_capture = port.captures[k].get();
      if (d != config::CaptureDirection::kRx) deps.tx_capture = port.captures[k].get();
    }
    dataplane::Worker& worker = *workers_[port_queue.worker];
    if (dataplane::IdleWait* const idle = worker.idle_wait(); idle != nullptr) {
      idle->add(*port.port, port_queue.rx_queues);
      control_.back().exchange->set_worker(&idle->doorbell());
    }
    worker.add_port_queue(std::make_unique<dataplane::PortQueue>(port_queue, deps));
  }
}

std::vector<dataplane::Doorbell*> WorkerPool::far_ends(const config::RunConfig& config,
                                                       std::size_t index) const {
  std::vector<dataplane::Doorbell*> all;
  const config::Device& device = config.ports[index].device;
  if (device.kind != config::DeviceKind::kRing) return all;
  for (std::size_t other = 0; other < config.ports.size(); ++other) {
    const config::Device& d = config.ports[other].device;
    if (other == index || !config.is_here(other) || d.kind != config::DeviceKind::kRing ||
        d.name != device.name)
      continue;
    for (const unsigned w : workers_on(config, other)) {
      if (dataplane::IdleWait* const idle = workers_[w]->idle_wait(); idle != nullptr)
        all.push_back(&idle->doorbell());
    }
  }
  return all;
}

void WorkerPool::connect_doorbells() {
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    dataplane::IdleWait* const idle = workers_[w]->idle_wait();
    if (idle == nullptr) continue;
    // The simulated network rings no doorbells, so a worker that slept until a doorbell rings would miss its
    // packets. Therefore, the workers must poll.
    if (lab_ != nullptr) idle->must_poll();
    for (const auto& map : maps_) map->doorbells[w] = &idle->doorbell();
  }
}

void WorkerPool::steer(const config::RunConfig& config, std::size_t index) {
  const RunPort& port = dpdk_.ports()[index];
  std::vector<dataplane::SteeredBoard> boards;
  const auto add = [&](const config::EndpointConfig& e) {
    if (e.port != index) return;
    const auto place = std::find(port.workers.begin(), port.workers.end(), e.worker) - port.workers.begin();
    boards.push_back({endpoints::identity_of(e).vlan, e.ip, {}, static_cast<std::uint16_t>(place)});
  };
  for (const auto& b : config.boards) add(b.endpoint);
  for (const auto& r : config.receivers) add(r.endpoint);
  rules_.push_back(std::make_unique<dataplane::FlowRules>(
      port.port->id(), config.ports[index].steering.value_or(dataplane::SteeringTier::kBth), port.queues,
      boards));
}

void WorkerPool::quit() {
  if (!working_) return;
  tell(dataplane::Quit{});
  for (auto& w : workers_) w->join();
  working_ = false;
  drain_control();
}

void WorkerPool::tell(dataplane::Worker& worker, const dataplane::Command& command) {
  while (!worker.command(command)) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void WorkerPool::tell(const dataplane::Command& command) {
  for (auto& w : workers_) tell(*w, command);
}

void WorkerPool::start(Time at) {
  collect_cpu();
  cpu_times_.assign(workers_.size(), {});
  tell(dataplane::StartTraffic{at});
  for (const config::ChangeConfig& c : config_.changes) {
    auto& parts = scheduled_changes_.emplace_back();
    if (!places_[c.board]) continue;
    for (const config::ChangeConfig::Part& p : c.parts)
      parts.push_back(send_change(c.board, p, saturating_add(at, c.at)));
  }
}

void WorkerPool::change(std::size_t board, const config::ChangeConfig::Part& part) {
  std::erase_if(live_changes_, [](const auto& c) { return c->done.load(std::memory_order_acquire); });
  live_changes_.push_back(send_change(board, part, 0));
}

std::unique_ptr<dataplane::CongestionChange> WorkerPool::send_change(std::size_t board,
                                                                     const config::ChangeConfig::Part& part,
                                                                     Time at) {
  auto change = std::make_unique<dataplane::CongestionChange>();
  change->at = at;
  change->board = endpoints_.boards[board].get();
  change->first = part.first;
  change->count = part.count;
  change->profile = endpoints::congestion_of(part.congestion);
  tell(worker_of(board), change.get());
  return change;
}

std::vector<std::uint8_t> WorkerPool::changes_made() const {
  std::vector<std::uint8_t> made;
  for (const auto& parts : scheduled_changes_) {
    made.push_back(std::all_of(parts.begin(), parts.end(),
                               [](const auto& p) { return p->done.load(std::memory_order_acquire); })
                       ? 1
                       : 0);
  }
  return made;
}

/// Snapshot of an endpoint of another host. Such an endpoint does not run in this process, so its counters
/// are 0.
engine::EndpointSnapshot WorkerPool::snapshot_of_other_host(std::size_t endpoint) const {
  const std::size_t boards = endpoints_.boards.size();
  const engine::Endpoint& e = endpoint < boards
                                  ? static_cast<const engine::Endpoint&>(*endpoints_.boards[endpoint])
                                  : *endpoints_.receivers[endpoint - boards];
  engine::EndpointSnapshot snapshot = engine::make_snapshot(e);
  engine::take_snapshot(e, snapshot, 0, SIZE_MAX, dpdk_.now());
  snapshot.unresolved = 0;  // the process of that host resolves its neighbours
  return snapshot;
}

PoolSnapshot WorkerPool::snapshot() {
  std::vector<std::unique_ptr<dataplane::SnapshotRequest>> requests;
  for (auto& w : workers_) {
    auto request = std::make_unique<dataplane::SnapshotRequest>();
    for (const engine::Endpoint* e : w->endpoints()) request->endpoints.push_back(engine::make_snapshot(*e));
    if (w->network() != nullptr) request->network = w->network()->make_snapshot();
    while (!w->command(request.get())) {
      pass_(kWait);
    }
    requests.push_back(std::move(request));
  }
  for (const auto& r : requests) {
    while (!r->done.load(std::memory_order_acquire)) pass_(kWait);
  }
  PoolSnapshot out;
  for (std::size_t e = 0; e < places_.size(); ++e)
    out.endpoints.push_back(places_[e] ? std::move(requests[places_[e]->first]->endpoints[places_[e]->second])
                                       : snapshot_of_other_host(e));
  for (const auto& r : requests) {
    if (r->network) out.network = std::move(r->network);
  }
  return out;
}

dataplane::WorkerStats WorkerPool::totals() const {
  dataplane::WorkerStats sum;
  for (const auto& w : workers_) sum += w->totals();
  return sum;
}

void WorkerPool::collect_cpu() {
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    dataplane::CpuSample sample;
    while (workers_[w]->cpu_samples().pop(sample)) {
      cpu_times_[w].add(sample);
      if (cpu_begun_[w] != 0) cpu_[w].add(sample);
      cpu_begun_[w] = 1;
    }
  }
}

void WorkerPool::restart_cpu() {
  collect_cpu();
  cpu_.assign(workers_.size(), {});
  cpu_begun_.assign(workers_.size(), 0);
}

dataplane::ControlExchange& WorkerPool::serve_control(std::size_t port, unsigned worker) {
  const auto at = std::find_if(control_.begin(), control_.end(),
                               [&](const QueueControl& c) { return c.port == port && c.worker == worker; });
  at->served = true;
  return *at->exchange;
}

std::uint64_t WorkerPool::drain_control() {
  std::uint64_t n = 0;
  for (const QueueControl& c : control_) {
    if (!c.served) n += c.exchange->drop_received();
  }
  return n;
}

bool WorkerPool::rings_control_thread() const { return config_.workers.idle == config::IdlePolicy::kSleep; }

bool WorkerPool::has_network(unsigned worker) const {
  return lab_ != nullptr && lab_->network_worker == worker;
}

std::string WorkerPool::map() const {
  std::vector<dataplane::WorkerRow> rows;
  for (unsigned w = 0; w < workers_.size(); ++w) {
    dataplane::WorkerRow row;
    row.lcore = dpdk_.lcore(w);
    row.cpu = dpdk_.lcores()[w + 1].cpu.value_or(row.lcore);
    for (const RunPort& port : dpdk_.ports()) {
      const auto it = std::find(port.workers.begin(), port.workers.end(), w);
      if (it == port.workers.end()) continue;
      for (auto q = static_cast<std::size_t>(it - port.workers.begin()); q < port.queues;
           q += port.workers.size()) {
        row.queues.push_back({port.name, static_cast<std::uint16_t>(q), port.port->capabilities().socket});
      }
    }
    std::size_t boards = 0;
    std::size_t receivers = 0;
    const auto runs = [&](const config::EndpointConfig& e) { return e.worker == w && config_.is_here(e); };
    for (const auto& b : config_.boards) boards += runs(b.endpoint) ? 1 : 0;
    for (const auto& r : config_.receivers) receivers += runs(r.endpoint) ? 1 : 0;
    row.boards = fmt::format("{} board{}, {} receiver{}{}", boards, boards == 1 ? "" : "s", receivers,
                             receivers == 1 ? "" : "s", has_network(w) ? ", the network" : "");
    rows.push_back(row);
  }
  return dataplane::worker_map(rows);
}

std::vector<std::string> WorkerPool::steering() const {
  std::vector<std::string> lines;
  std::size_t next = 0;
  for (const RunPort& port : dpdk_.ports()) {
    if (!port.is_here()) continue;
    const dataplane::SteeringChoice& c = rules_[next++]->choice();
    lines.push_back("port " + port.name + ": steering " + dataplane::to_string(c.tier) +
                    (c.reason.empty() ? "" : " (" + c.reason + ")"));
  }
  return lines;
}

}  // namespace softfeb::runtime
