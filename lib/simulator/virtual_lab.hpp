// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "lab/judge.hpp"
#include "lab/metrics.hpp"
#include "simulator/event_loop.hpp"
#include "stats/sample.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::simulator {

/// Outcome of a run in virtual time.
struct VirtualOutcome {
  Time origin = 0;         ///< when traffic began, on the clock of all times in the snapshots
  Time measured_from = 0;  ///< end of the warm-up, on the same clock
  Time stopped = 0;        ///< end of traffic: duration reached, or last message posted
  Time ended = 0;          ///< everything is drained
  bool flushed = false;    ///< requests were outstanding at the drain timeout
  bool interrupted = false;
  std::vector<engine::EndpointSnapshot> baseline;  ///< at measured_from; empty without warm-up
  std::vector<engine::EndpointSnapshot> final;     ///< boards, then receivers
  fabric::NetworkSnapshot network;                 ///< at the end
  std::vector<std::uint8_t> changes_made;          ///< indexed like RunConfig::changes
  std::uint64_t events = 0;                        ///< deliveries to and iterations of endpoints

  /// The last sample.
  stats::Sample sample() const {
    return {.at = ended - origin, .origin = origin, .endpoints = &final, .network = &network};
  }
};

/// A topology in virtual time: the boards, receivers and switches of real time, driven by an event queue.
/// Uses neither clocks nor devices; the same configuration gives the same run on every host.
class VirtualLab {
 public:
  /// `config` must outlive the lab. Throws ConfigError for anything that virtual time does not support
  /// (receivers in other processes, endpoints at a port of the host), and EnvironmentError if memory runs
  /// out.
  explicit VirtualLab(const config::LabConfig& config);

  /// Called periodically with the time since traffic began; returning false ends the run early.
  using Between = std::function<bool(Time)>;
  /// Runs the lab; may be called once. Resolves neighbours, starts traffic, starts and stops boards, stops
  /// traffic and drains. Observers get samples at exactly the times they ask for.
  VirtualOutcome run(const std::vector<stats::Observer*>& observers, const Between& between = {});

  const endpoints::Plans& plans() const { return plans_; }
  const endpoints::Payloads& payloads() const { return payloads_; }
  endpoints::Endpoints& endpoints() { return endpoints_; }
  const endpoints::Endpoints& endpoints() const { return endpoints_; }
  const EventLoop& world() const { return *world_; }

 private:
  const config::LabConfig& config_;
  std::vector<std::unique_ptr<std::uint8_t[]>> arena_;
  endpoints::Payloads payloads_;
  endpoints::Plans plans_;
  endpoints::Endpoints endpoints_;
  std::unique_ptr<EventLoop> world_;
};

/// Results of a run that `metrics` observed. Also closes the receivers' maps of missing messages.
lab::RunStats figures_of(const config::LabConfig& config, VirtualLab& lab, const VirtualOutcome& outcome,
                         const lab::Metrics& metrics);

}  // namespace softfeb::simulator
