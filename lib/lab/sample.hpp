// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"

#include <vector>

namespace softfeb::lab {

/// Everything that is counted, at one moment of a run: of `softfeb run`, of the lab in real time, of the lab
/// in virtual time. Refers to its maker's memory for as long as the call lasts.
struct Sample {
  Time at = 0;      ///< since traffic began
  Time origin = 0;  ///< when traffic began, by the clock of all times in the snapshots (`taken_at`, …)
  /// Boards, then receivers, as the configuration has them. In real time each has its own `taken_at`.
  const std::vector<engine::EndpointSnapshot>* endpoints = nullptr;
  const fabric::NetworkSnapshot* network = nullptr;  ///< null without switches of ours
};

/// Somebody who looks at a run while it goes on: time series, metrics, terminal, live page.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Traffic begins.
  virtual void begin() {}
  /// When the next sample is due, since traffic began. Virtual time keeps it exactly; real time comes when it
  /// can, and once for all that were missed.
  virtual Time due() const = 0;
  virtual void add(const Sample& sample) = 0;
  /// The last one: traffic has ended and all is drained.
  virtual void end(const Sample& sample) { add(sample); }
};

}  // namespace softfeb::lab
