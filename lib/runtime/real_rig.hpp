// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/test_port_loop.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/rig_network.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/test_port.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::runtime {

struct RealRigSettings {
  /// With kRings, the rig ports are the stations of the network in the configuration, which a worker
  /// simulates. With kPorts, the rig ports are ports in the configuration.
  switchtest::RigKind kind = switchtest::RigKind::kRings;
  /// For RigKind::kPorts: names of elements of RunConfig::ports, in the order of rig ports.
  std::vector<std::string> ports;
  bool quiet = false;  ///< print nothing while waiting for links
  /// Called from time to time; if it returns true, RealRig throws Interrupted. If empty, SIGINT and SIGTERM
  /// interrupt the rig.
  std::function<bool()> interrupted;
};

/// A rig (switchtest/rig.hpp) in real time, whose test ports are DPDK ports. During trials, loops poll the
/// ports: one loop on the calling thread and, if all threads have CPUs of their own, one further loop on each
/// worker that does not run the network. Ports are distributed over the loops in turn; if there are as many
/// loops as ports, each port has its own loop.
///
/// Counts are exact. A time is exact to one iteration of a loop, which takes microseconds. A trial is void
/// (its result must not be used) if a loop did not run for a while, or if the rig lost or delayed frames
/// (switchtest::RigFaults).
class RealRig final : public switchtest::Rig {
 public:
  /// Opens the ports and waits for their links, for at most `run.connect_timeout`. `lab` is copied, so it may
  /// be a temporary object. Throws EnvironmentError, RequestError, ConfigError and Interrupted.
  RealRig(const config::LabConfig& lab, RealRigSettings settings);
  ~RealRig() override;

  switchtest::RigKind kind() const override { return settings_.kind; }
  const std::vector<switchtest::RigPort>& ports() const override { return ports_; }
  switchtest::TrialResult run(const switchtest::Trial& trial) override;
  Time now() const override { return dpdk_.now() - created_; }
  std::optional<Time> own_delay() const override { return std::nullopt; }
  /// This time exceeds the largest permitted lateness of a frame plus the largest permitted gap of the
  /// network's loop.
  Time settle() const override { return 3 * kMillisecond; }

  const DpdkRuntime& dpdk() const { return dpdk_; }
  std::size_t loops() const { return loops_.size(); }

 private:
  void describe_ports();
  void make_loops();
  void teach();
  void prepare(const switchtest::Trial& trial);
  /// Runs the loops until `end`.
  void poll(Time end);
  bool poll_here(Time end);
  switchtest::RigFaults faults(std::uint64_t missed_before) const;
  std::uint64_t missed() const;
  void drain();
  bool drained(Time quiet_since);
  void expire_pauses(const switchtest::Trial& trial);
  /// Receives and drops the frames that have arrived. Returns how many of these frames were sent by test
  /// ports.
  std::size_t discard();
  void observe();
  void check_interrupted() const;
  bool interrupted() const;

  RealRigSettings settings_;
  const config::LabConfig lab_;
  DpdkRuntime dpdk_;
  std::vector<switchtest::RigPort> ports_;
  std::vector<std::unique_ptr<switchtest::TestPort>> endpoints_;
  std::vector<std::unique_ptr<dataplane::TestPortLoop>> loops_;  ///< the first loop runs on this thread
  std::vector<unsigned> lcores_;                                 ///< lcores of the other loops
  std::unique_ptr<RigNetwork> network_;                          ///< used only with kRings
  std::atomic<bool> stop_{false};
  Time created_ = 0;
  Time taught_ = 0;
  std::uint16_t trial_ = 0;
};

}  // namespace softfeb::runtime
