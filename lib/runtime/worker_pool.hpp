// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/control_exchange.hpp"
#include "dataplane/flow_rules.hpp"
#include "dataplane/in_band.hpp"
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
  void stop_traffic() { tell({dataplane::Command::Kind::kStopTraffic, 0, nullptr}); }
  void flush() { tell({dataplane::Command::Kind::kFlush, 0, nullptr}); }
  /// Ends the workers; endpoints may be looked at directly from then on.
  void quit();

  /// How the worker pool's own waits pass a time: by sleeping, unless told otherwise.
  void wait_by(std::function<void(Time)> pass) { pass_ = std::move(pass); }

  /// An endpoint's worker and its place there: boards first, then receivers.
  std::pair<dataplane::Worker*, std::size_t> seat(std::size_t endpoint) const {
    return {workers_[places_[endpoint].first].get(), places_[endpoint].second};
  }

  PoolSnapshot snapshot();
  /// Sum over the workers.
  dataplane::WorkerStats totals() const;
  const std::vector<std::unique_ptr<dataplane::Worker>>& workers() const { return workers_; }

  /// From now on UDP `udp_port` at the board's own address is served for those that `allow` lets in; the link
  /// lives as long as the worker pool. Throws EnvironmentError without memory for the frames.
  dataplane::InBandLink& serve_in_band(std::size_t board, std::uint16_t udp_port,
                                       dataplane::InBandLink::Allow allow);
  /// Hands datagrams that came for served boards to their links; returns how many came. To be called often.
  std::size_t poll_in_band(Time now);
  dataplane::InBandCounters in_band_counters() const;
  /// Workers that sleep also ring. Those that spin make no system call, so the control thread must look.
  bool rings_control_thread() const;
  /// Rung after a datagram for the control thread, while that thread has armed it.
  dataplane::Doorbell& control_doorbell() { return control_doorbell_; }
  /// Slow-control datagrams that came to port queues where nobody is served; frees them.
  std::uint64_t drain_control();

  /// Who polls what, for the print at start.
  std::string map() const;
  /// A line for each port: the tier its packets are steered by, and why.
  std::vector<std::string> steering() const;

 private:
  void seat_endpoints(const config::RunConfig& config, endpoints::Endpoints& endpoints);
  /// The port is the network's: no endpoint is behind it.
  bool of_network(std::size_t port) const;
  void add_network(const config::LabConfig& lab);
  bool has_network(unsigned worker) const;
  void add_port_queues(const config::RunConfig& config, std::size_t port);
  /// Doorbells of the workers at the other end of a net_ring port.
  std::vector<dataplane::Doorbell*> far_ends(const config::RunConfig& config, std::size_t port) const;
  void connect_doorbells();
  void steer(const config::RunConfig& config, std::size_t port);
  dataplane::InBandPort& in_band_of(const config::EndpointConfig& endpoint);
  void tell(const dataplane::Command& command);
  void tell(dataplane::Worker& worker, const dataplane::Command& command);
  /// Sends a change to the board's worker, which applies it at `at` and then sets `done`.
  std::unique_ptr<dataplane::CongestionChange> send_change(std::size_t board,
                                                           const config::ChangeConfig::Part& part, Time at);

  const config::RunConfig& config_;
  DpdkRuntime& dpdk_;
  const config::LabConfig* lab_;
  std::vector<std::unique_ptr<dataplane::PortMap>> maps_;
  std::vector<std::unique_ptr<dataplane::TxBuilder>> builders_;
  /// Of one port and worker: what passes between port queue and control thread, and who serves it there
  /// (null: nobody).
  struct LaneControl {
    std::size_t port = 0;
    unsigned worker = 0;
    std::unique_ptr<dataplane::ControlExchange> exchange;
    std::unique_ptr<dataplane::InBandPort> in_band;
  };
  std::vector<LaneControl> control_;
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
