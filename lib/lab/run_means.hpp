// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "stats/control_state.hpp"
#include "stats/sample.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::lab {

/// Means over the whole time in which traffic was sent, from samples every `lab.sample_interval`. Unlike the
/// results of Metrics, these means include the time before the steady state, so that short runs have means as
/// well.
class RunMeans : public stats::Observer {
 public:
  explicit RunMeans(const config::LabConfig& config);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;
  /// Does nothing, because the last sample is taken after the queues have drained.
  void end(const stats::Sample&) override {}

  /// Payload bytes per second that the receivers of the lab accepted; empty without a sample.
  std::optional<double> goodput() const;
  /// Mean queue of the bottleneck in bytes; empty without a bottleneck.
  std::optional<double> queue_bytes() const;
  /// Mean of the last round-trip times of all queue pairs, in seconds; empty if the algorithm measures no
  /// round-trip times.
  std::optional<double> rtt() const { return rtt_.mean(); }

 private:
  void add_queue(const fabric::NetworkSnapshot& network);

  Time interval_, due_, end_;
  std::optional<std::uint32_t> link_;
  std::uint32_t switch_index_;
  std::size_t boards_;
  Time last_ = 0;                ///< time of the last sample
  std::uint64_t delivered_ = 0;  ///< payload bytes delivered by the time of the last sample
  double queue_sum_ = 0;
  std::uint64_t queue_samples_ = 0;
  stats::ControlMean rtt_;
};

}  // namespace softfeb::lab
