// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/control_exchange.hpp"
#include "dataplane/flow_rules.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/ring_stamps.hpp"
#include "dataplane/worker.hpp"
#include "endpoints/endpoints.hpp"
#include "engine/snapshot.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// lib/runtime: the DPDK resources and workers of a run. DpdkRuntime opens the configured ports, memory and
/// clocks. WorkerPool places the endpoints on workers and port queues, starts the workers, and sends them
/// commands from the control thread. May include dataplane, endpoints, config and the libraries below them,
/// but not slowcontrol. Begin with DpdkRuntime (dpdk_runtime.hpp), then WorkerPool here; port_setup.hpp and
/// network_setup.hpp translate the configuration.
namespace softfeb::runtime {

/// Statistics of all endpoints at one moment: boards first, then receivers, each in the order of RunConfig.
struct PoolSnapshot {
  std::vector<engine::EndpointSnapshot> endpoints;
  std::optional<fabric::NetworkSnapshot> network;  ///< set only with a simulated network
};

/// The workers of a run and their endpoints. The workers run from construction to quit().
class WorkerPool {
 public:
  /// If `lab` is not null, `lab->run` is `config`, and one of the workers also runs the network that `lab`
  /// describes. `stamps` record the times of messages and are indexed by worker. If `stamps` is empty, times
  /// are not recorded.
  WorkerPool(const config::RunConfig& config, DpdkRuntime& dpdk, endpoints::Endpoints& endpoints,
             const config::LabConfig* lab = nullptr, std::span<dataplane::RingStamps* const> stamps = {},
             const endpoints::Plans* plans = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Starts traffic at `at`, and schedules the configuration's changes relative to `at`.
  void start(Time at);
  /// Sets the parameters in `part` for the QPs that `part` selects. The board's worker applies them in its
  /// next iterations.
  void change(std::size_t board, const config::ChangeConfig::Part& part);
  /// Indexed like RunConfig::changes: 1 if the change has been applied to all QPs that it selects. Empty
  /// before start().
  std::vector<std::uint8_t> changes_made() const;
  void stop_traffic() { tell(dataplane::StopTraffic{}); }
  void flush() { tell(dataplane::FlushRequests{}); }
  /// See NetworkRelay::close_outside().
  void close_network() { tell(dataplane::CloseNetwork{}); }
  /// Stops the workers. The caller may then access the endpoints directly.
  void quit();

  /// Sets the function that snapshot() calls repeatedly while it waits for the workers; the argument is the
  /// time to wait. The default function sleeps.
  void wait_by(std::function<void(Time)> pass) { pass_ = std::move(pass); }

  /// Returns the worker of an endpoint of this host. `endpoint` counts boards first, then receivers.
  dataplane::Worker& worker_of(std::size_t endpoint) { return *workers_[places_[endpoint].value().first]; }
  const engine::Board& board(std::size_t board) const { return *endpoints_.boards[board]; }

  PoolSnapshot snapshot();
  /// Counters summed over all workers; longest_gap is the maximum. The counters of the network are not
  /// included.
  dataplane::WorkerStats totals() const;
  const std::vector<std::unique_ptr<dataplane::Worker>>& workers() const { return workers_; }
  /// Adds the workers' latest samples to cpu() and cpu_times(). Call it at least every few seconds.
  void collect_cpu();
  /// Clears cpu(). From now on, it includes only samples that begin after this call.
  void restart_cpu();
  /// How each worker has spent its time since restart_cpu().
  const std::vector<dataplane::CpuShares>& cpu() const { return cpu_; }
  /// The time that each worker has spent since start().
  const std::vector<dataplane::CpuTimes>& cpu_times() const { return cpu_times_; }

  /// Returns the exchange of slow-control datagrams between a port queue and the control thread. From now
  /// on, the caller must receive the exchange's datagrams, and drain_control() skips it. The worker must
  /// have an endpoint on the port.
  dataplane::ControlExchange& serve_control(std::size_t port, unsigned worker);
  /// Returns the index of an endpoint in the PortMap of its port. `endpoint` counts boards first, then
  /// receivers.
  std::uint32_t index_on_port(std::size_t endpoint) const { return owners_[endpoint]; }
  /// True if workers ring the control thread's doorbell. Workers that never sleep do not ring it, to avoid
  /// system calls; the control thread must then poll their exchanges.
  bool rings_control_thread() const;
  /// Doorbell of the control thread. Workers ring this doorbell when a datagram arrives for the control
  /// thread, but only while that thread has armed the doorbell.
  dataplane::Doorbell& control_doorbell() { return control_doorbell_; }
  /// Frees the slow-control datagrams of port queues whose exchange is not served. Returns their number.
  std::uint64_t drain_control();

  /// Formats a table of the workers with their queues and endpoints, which is printed at start-up.
  std::string map() const;
  /// Returns one line for each port of this host: the steering tier in use (dataplane/steering.hpp), and why
  /// no higher tier was chosen.
  std::vector<std::string> steering() const;

 private:
  void place_endpoints(const config::RunConfig& config);
  engine::EndpointSnapshot snapshot_of_other_host(std::size_t endpoint) const;
  /// True if the port is part of the simulated network and has no endpoints.
  bool of_network(std::size_t port) const;
  void add_network(const config::LabConfig& lab, const endpoints::Plans* plans);
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
  std::vector<dataplane::RingStamps*> stamps_;  ///< indexed by worker, or empty
  std::vector<std::unique_ptr<dataplane::PortMap>> maps_;
  std::vector<std::unique_ptr<dataplane::TxBuilder>> builders_;
  /// The slow-control exchange of one port queue.
  struct QueueControl {
    std::size_t port = 0;
    unsigned worker = 0;
    std::unique_ptr<dataplane::ControlExchange> exchange;
    bool served = false;
  };
  std::vector<QueueControl> control_;
  dataplane::Doorbell control_doorbell_;
  std::vector<std::unique_ptr<dataplane::FlowRules>> rules_;
  /// The parameters that the workers set for each element of RunConfig::changes (same index), with one object
  /// for each range of queue pairs. The workers hold pointers to these objects.
  std::vector<std::vector<std::unique_ptr<dataplane::CongestionChange>>> scheduled_changes_;
  /// Changes that change() has sent. The next call to change() removes the changes that the workers have
  /// applied.
  std::vector<std::unique_ptr<dataplane::CongestionChange>> live_changes_;
  std::vector<std::unique_ptr<dataplane::Worker>> workers_;
  /// For each endpoint (boards, then receivers): its worker and its index on that worker. Empty for endpoints
  /// of other hosts.
  std::vector<std::optional<std::pair<unsigned, std::size_t>>> places_;
  std::vector<std::uint32_t> owners_;  ///< for each endpoint, its index in its port's map
  std::function<void(Time)> pass_;
  std::vector<dataplane::CpuShares> cpu_;
  std::vector<dataplane::CpuTimes> cpu_times_;
  /// For each worker, 0 if its next sample began before restart_cpu(), because cpu() must not include such a
  /// sample.
  std::vector<std::uint8_t> cpu_begun_;
  bool working_ = false;
};

}  // namespace softfeb::runtime
