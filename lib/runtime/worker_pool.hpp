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

/// lib/runtime: DPDK as a run needs it. DpdkRuntime opens ports, memory and clocks as the configuration says;
/// WorkerPool places the endpoints on workers and port queues, starts the workers, and sends them commands
/// from the control thread. May include dataplane, endpoints, config and what is below them, not slowcontrol.
/// Begin with DpdkRuntime (dpdk_runtime.hpp), then WorkerPool here; port_setup.hpp and network_setup.hpp
/// translate the configuration.
namespace softfeb::runtime {

/// All statistics at one moment. `endpoints`: boards in the order of RunConfig, then receivers.
struct PoolSnapshot {
  std::vector<engine::EndpointSnapshot> endpoints;
  std::optional<fabric::NetworkSnapshot> network;  ///< only with a simulated network
};

/// The workers of a run and their endpoints. They run from construction to quit().
class WorkerPool {
 public:
  /// With a lab, `config` is `lab->run`, and one of the workers also runs its network.
  WorkerPool(const config::RunConfig& config, DpdkRuntime& dpdk, endpoints::Endpoints& endpoints,
             const config::LabConfig* lab = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Starts traffic at `at`, and schedules the configuration's changes relative to it.
  void start(Time at);
  /// Sets the parameters of `part` for its QPs in the worker's next iteration.
  void change(std::size_t board, const config::ChangeConfig::Part& part);
  /// Indexed like RunConfig::changes: 1 if all QPs of the change have it.
  std::vector<std::uint8_t> changes_made() const;
  void stop_traffic() { tell(dataplane::StopTraffic{}); }
  void flush() { tell(dataplane::FlushRequests{}); }
  /// Ends the workers. After that the caller may access the endpoints directly.
  void quit();

  /// Sets how the pool waits for its workers. Default: sleep.
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
  /// True if workers ring the control thread's doorbell. Workers that spin make no system call; the control
  /// thread must poll their exchanges.
  bool rings_control_thread() const;
  /// Rung when a datagram for the control thread has arrived, while that thread has armed it.
  dataplane::Doorbell& control_doorbell() { return control_doorbell_; }
  /// Frees the slow-control datagrams of port queues whose exchange has no receiver. Returns how many.
  std::uint64_t drain_control();

  /// Table of the workers with their queues and endpoints, printed at start.
  std::string map() const;
  /// One line per port: the steering tier in use, and why.
  std::vector<std::string> steering() const;

 private:
  void place_endpoints(const config::RunConfig& config);
  /// True for a port of the network, which has no endpoints.
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
