// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "experiment/driver.hpp"
#include "latency/stage_table.hpp"
#include "simulator/exchange.hpp"
#include "simulator/logged_stamps.hpp"
#include "simulator/parting.hpp"
#include "simulator/simulation.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// Drives a run in virtual time: the same boards, receivers and switches as in real time, driven by an event
/// loop. Uses neither clocks nor devices, so a configuration gives the same results on every host. Observers
/// receive samples at exactly the times that they request.
///
/// A network can be simulated in parts, in one process or in several (simulator::PartedLoop). Every process
/// has a driver with the same configuration, and makes the same calls. Each driver has all endpoints, but
/// runs only those of its own parts. Process 0 gets the snapshots of all parts, and thus the same results as
/// without parts; what the drivers of other processes return does not describe the whole run.
class VirtualDriver final : public Driver {
 public:
  /// Called about once per millisecond of virtual time. Returns the number of stop requests so far.
  using Poll = std::function<int()>;

  /// `services` are the services for event data. With `takes_times`, the driver records when messages reach
  /// each stage, unless the configuration turns this off. `exchange` connects the processes; it is null if
  /// there is only one. `make` creates another simulation in place of PartedLoop, and may be given only if
  /// there is a single process. `config` and `exchange` must outlive the driver. Throws ConfigError if the
  /// configuration uses a feature that virtual time does not support (receivers in other processes, endpoints
  /// at a port of the host), and EnvironmentError if memory is exhausted.
  explicit VirtualDriver(
      const config::LabConfig& config, Poll poll = [] { return 0; },
      const endpoints::EventServices& services = {}, bool takes_times = false,
      const simulator::Parting& parting = {}, simulator::Exchange* exchange = nullptr,
      const simulator::MakeSimulation& make = {});

  const endpoints::Plans& plans() const override { return plans_; }
  const endpoints::Payloads& payloads() const override { return payloads_; }
  endpoints::Endpoints& endpoints() override { return endpoints_; }

  std::vector<stats::Observer*> open(const Say&) override { return {}; }
  Time now() const override { return loop_->now(); }
  /// Resolves neighbours before traffic starts, as in real time, so that the first packets do not wait for
  /// ARP or neighbour discovery.
  Time begin(stats::Observers& observers) override;
  Passed pass(Time end, Until until, int stop_requests) override;
  int stop_requests() const override { return poll_(); }
  bool finished() const override;
  std::vector<engine::EndpointSnapshot> endpoint_counters() override;
  Counters counters() override;
  std::vector<std::uint8_t> changes_made() const override { return changes_made_; }
  void stop_traffic() override;
  void flush() override;
  void settle() override;
  void close(stats::Outcome& outcome) override;

  bool virtual_time() const override { return true; }
  /// Returns a hash of all payloads, which must be the same in all processes.
  std::uint64_t payload_hash() const;
  const latency::StageFigures* stages() override { return stamps_ ? &stamps_->table().figures() : nullptr; }
  lab::Edge network_edge(const stats::Outcome&) const override { return {.lost_out = loop_->passed_over()}; }
  std::uint64_t events() const override { return loop_->events(); }

 private:
  /// An action with a scheduled time.
  struct Action {
    enum class Kind : std::uint8_t { kStart, kChange, kStop };
    Time at = 0;  ///< time on the clock of the event loop
    Kind kind = Kind::kStart;
    std::size_t index = 0;  ///< index of the board, or of the change in the configuration
  };

  void plan_actions();
  void act(const Action& action);
  void change(const config::ChangeConfig& change);
  void run_slice(Time end);
  void take_counters();
  void gather_counters();
  void collect_stamps() { loop_->collect_stamps(stamps_ ? &*stamps_ : nullptr); }

  const config::LabConfig& config_;
  Poll poll_;
  simulator::SoloExchange solo_;
  simulator::Exchange& exchange_;
  std::vector<std::unique_ptr<std::uint8_t[]>> arena_;
  std::vector<ByteSpan> payload_blocks_;  ///< the blocks of payload in arena_
  endpoints::Payloads payloads_;
  endpoints::Plans plans_;
  std::optional<latency::DirectStamps> stamps_;  ///< empty if times are not recorded
  /// With several parts: logs times until collect_stamps() passes them to `stamps_`.
  std::optional<simulator::LoggedStamps> logged_;
  endpoints::Endpoints endpoints_;
  std::unique_ptr<simulator::Simulation> loop_;
  std::vector<engine::Endpoint*> all_;  ///< boards, then receivers
  std::vector<Action> actions_;
  std::size_t next_action_ = 0;
  std::vector<std::uint8_t> changes_made_;
  stats::Observers* observers_ = nullptr;
  Time started_ = 0;
  std::set<std::string> failures_;                   ///< reasons of failures in other processes
  std::vector<engine::EndpointSnapshot> snapshots_;  ///< buffer reused for every sample
  fabric::NetworkSnapshot network_;
};

}  // namespace softfeb::experiment
