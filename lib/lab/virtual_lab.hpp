// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "lab/endpoints.hpp"
#include "lab/judge.hpp"
#include "lab/metrics.hpp"
#include "lab/payloads.hpp"
#include "lab/plan.hpp"
#include "lab/sample.hpp"
#include "lab/world.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::lab {

/// What a run in virtual time gave.
struct VirtualOutcome {
  Time origin = 0;         ///< when traffic began, by the world's clock: that of all times in the snapshots
  Time measured_from = 0;  ///< end of the warm-up, by the same clock
  Time stopped = 0;        ///< traffic ended: duration, or the last message was made
  Time ended = 0;          ///< everything was drained
  bool flushed = false;    ///< requests were outstanding when the drain timeout was over
  bool interrupted = false;
  std::vector<engine::EndpointSnapshot> baseline;  ///< at measured_from; empty without warm-up
  std::vector<engine::EndpointSnapshot> final;     ///< boards, then receivers
  fabric::NetworkSnapshot network;                 ///< at the end
  std::vector<std::uint8_t> changes_made;          ///< as RunConfig::changes
  std::uint64_t events = 0;                        ///< deliveries and turns of endpoints

  /// The last one.
  Sample sample() const {
    return {.at = ended - origin, .origin = origin, .endpoints = &final, .network = &network};
  }
};

/// A topology in virtual time: the boards, receivers and switches of real time, driven by an event queue.
/// Neither clock nor device; the same configuration gives the same run, on every machine.
class VirtualLab {
 public:
  /// `config` outlives the lab. Throws ConfigError for what virtual time does not have (receivers in other
  /// processes, endpoints at a port of the machine), EnvironmentError for want of memory.
  explicit VirtualLab(const config::LabConfig& config);

  /// Called now and then, with the time since traffic began; false ends the run early.
  using Between = std::function<bool(Time)>;
  /// Runs it, once: neighbours are resolved, traffic begins, boards start and stop, traffic ends, everything
  /// drains. Observers are served at exactly their times.
  VirtualOutcome run(const std::vector<Observer*>& observers, const Between& between = {});

  const Plans& plans() const { return plans_; }
  const Payloads& payloads() const { return payloads_; }
  Endpoints& endpoints() { return endpoints_; }
  const Endpoints& endpoints() const { return endpoints_; }
  const World& world() const { return *world_; }

 private:
  const config::LabConfig& config_;
  std::vector<std::unique_ptr<std::uint8_t[]>> arena_;
  Payloads payloads_;
  Plans plans_;
  Endpoints endpoints_;
  std::unique_ptr<World> world_;
};

/// The figures of a run that `metrics` observed; closes the receivers' maps of missing messages.
RunFigures figures_of(const config::LabConfig& config, VirtualLab& lab, const VirtualOutcome& outcome,
                      const Metrics& metrics);

}  // namespace softfeb::lab
