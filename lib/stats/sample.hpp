// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/cpu_shares.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"

#include <vector>

namespace softfeb::latency {
struct StageFigures;
}

/// lib/stats: the counters of a run, and rates computed from them. Start here: a Sample is a snapshot of all
/// counters, and an Observer receives the samples during a run. rate_tracker.hpp computes rates from
/// successive samples. outcome.hpp and goodput.hpp contain the results of a finished run. delivery.hpp
/// determines whether the sender or the receiver counts delivered payload. lib/stats may include
/// lib/endpoints and everything below it, and lib/dataplane for the counters of workers. Other libraries
/// format the results (lib/report, lib/telemetry) and check them against limits (lib/lab).
namespace softfeb::stats {

/// All counters at one point in time of a run (`softfeb run`, or the lab in real or virtual time). Refers
/// to memory of the caller and is valid only during the call.
struct Sample {
  Time at = 0;      ///< time since traffic began
  Time origin = 0;  ///< start of traffic, on the clock of the times in the snapshots (`taken_at`, …)
  /// Boards, then receivers, in the order of the configuration. In real time, each endpoint has its own
  /// `taken_at`.
  const std::vector<engine::EndpointSnapshot>* endpoints = nullptr;
  const fabric::NetworkSnapshot* network = nullptr;  ///< null without switches in this process
  /// Times that messages took from one stage of their path to another; null if not recorded. Valid as long as
  /// the run's driver exists.
  const latency::StageFigures* stages = nullptr;
  /// How each worker has spent its time; null in virtual time.
  const std::vector<dataplane::CpuTimes>* cpu = nullptr;
};

/// Observes a run in progress. The time series, the metrics, the terminal and the live page are observers.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called when traffic begins.
  virtual void begin() {}
  /// Time from the start of traffic to the next sample that is due. Exact in virtual time. In real time the
  /// sample may be late, and one sample then replaces all samples that were missed.
  virtual Time due() const = 0;
  virtual void add(const Sample& sample) = 0;
  /// Receives the last sample, after traffic has ended and the run has drained.
  virtual void end(const Sample& sample) { add(sample); }
};

}  // namespace softfeb::stats
