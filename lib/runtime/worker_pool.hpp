// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/control_exchange.hpp"
#include "dataplane/flow_rules.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/worker.hpp"
#include "endpoints/endpoints.hpp"
#include "engine/snapshot.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::runtime {

/// Everything that is counted, now. `endpoints`: boards first, as RunConfig has them, then receivers.
struct PoolSnapshot {
  std::vector<engine::EndpointSnapshot> endpoints;
  std::optional<fabric::NetworkSnapshot> network;  ///< none without a network of ours
};

/// Workers at work on a set of endpoints, from construction to destruction.
class WorkerPool {
 public:
  /// `config` is `lab->run` where there is a lab; then one of the workers carries its network, too.
  WorkerPool(const config::RunConfig& config, DpdkRuntime& dpdk, endpoints::Endpoints& endpoints,
             const config::LabConfig* lab = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Traffic begins at `at`, and the configuration's changes are made at their times after it.
  void start(Time at);
  /// The QPs of `part` have its parameters from the worker's next iteration on.
  void change(std::size_t board, const config::ChangeConfig::Part& part);
  /// As RunConfig::changes: 1 where all QPs have it by now.
  std::vector<std::uint8_t> changes_made() const;
  void stop_traffic() { tell(dataplane::StopTraffic{}); }
  void flush() { tell(dataplane::FlushRequests{}); }
  /// Ends the workers; endpoints may be looked at directly from then on.
  void quit();

  /// How the worker pool's own waits pass a time: by sleeping, unless told otherwise.
  void wait_by(std::function<void(Time)> pass) { pass_ = std::move(pass); }

  /// The worker of an endpoint: boards first, then receivers.
  dataplane::Worker& worker_of(std::size_t endpoint) { return *workers_[places_[endpoint].first]; }
  const engine::Board& board(std::size_t board) const { return *endpoints_.boards[board]; }

  PoolSnapshot snapshot();
  /// Sum over the workers.
  dataplane::WorkerStats totals() const;
  const std::vector<std::unique_ptr<dataplane::Worker>>& workers() const { return workers_; }

  /// Where the port queue of this port and worker exchanges slow-control datagrams with the control thread.
  /// The caller receives them from now on; see drain_control(). Requires an endpoint of the port on the
  /// worker.
  dataplane::ControlExchange& serve_control(std::size_t port, unsigned worker);
  /// Number of the endpoint (boards first, then receivers) in its port's map.
  std::uint32_t index_on_port(std::size_t endpoint) const { return owners_[endpoint]; }
  /// Workers that sleep also ring. Those that spin make no system call, so the control thread must look.
  bool rings_control_thread() const;
  /// Rung after a datagram for the control thread, while that thread has armed it.
  dataplane::Doorbell& control_doorbell() { return control_doorbell_; }
  /// Frees the slow-control datagrams of port queues whose exchange has no receiver. Returns how many.
  std::uint64_t drain_control();

  /// Who polls what, for the print at start.
  std::string map() const;
  /// A line for each port: the tier its packets are steered by, and why.
  std::vector<std::string> steering() const;

 private:
  void place_endpoints(const config::RunConfig& config);
  /// The port is the network's: no endpoint is behind it.
  bool of_network(std::size_t port) const;
  void add_network(const config::LabConfig& lab);
  bool has_network(unsigned worker) const;
  void add_port_queues(const config::RunConfig& config, std::size_t port);
  /// Doorbells of the workers at the other end of a net_ring port.
  std::vector<dataplane::Doorbell*> far_ends(const config::RunConfig& config, std::size_t port) const;
  void connect_doorbells();
  void steer(const config::RunConfig& config, std::size_t port);
  void tell(const dataplane::Command& command);
  void tell(dataplane::Worker& worker, const dataplane::Command& command);
  /// Sends a change to the board's worker, which applies it at `at` and then sets `done`.
  std::unique_ptr<dataplane::CongestionChange> send_change(std::size_t board,
                                                           const config::ChangeConfig::Part& part, Time at);

  const config::RunConfig& config_;
  DpdkRuntime& dpdk_;
  endpoints::Endpoints& endpoints_;
  const config::LabConfig* lab_;
  std::vector<std::unique_ptr<dataplane::PortMap>> maps_;
  std::vector<std::unique_ptr<dataplane::TxBuilder>> builders_;
  /// The exchange of one port queue.
  struct QueueControl {
    std::size_t port = 0;
    unsigned worker = 0;
    std::unique_ptr<dataplane::ControlExchange> exchange;
    bool served = false;
  };
  std::vector<QueueControl> control_;
  dataplane::Doorbell control_doorbell_;
  std::vector<std::unique_ptr<dataplane::FlowRules>> rules_;
  /// The parts of each of the configuration's changes. The workers hold pointers to them.
  std::vector<std::vector<std::unique_ptr<dataplane::CongestionChange>>> scheduled_changes_;
  /// From change(), until they are done.
  std::vector<std::unique_ptr<dataplane::CongestionChange>> live_changes_;
  std::vector<std::unique_ptr<dataplane::Worker>> workers_;
  /// For each endpoint (boards, then receivers): its worker and its place there.
  std::vector<std::pair<unsigned, std::size_t>> places_;
  std::vector<std::uint32_t> owners_;  ///< for each endpoint, its number in its port's map
  std::function<void(Time)> pass_;
  bool working_ = false;
};

}  // namespace softfeb::runtime
