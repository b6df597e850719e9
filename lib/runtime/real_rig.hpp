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
  /// kRings: the rig ports are the stations of `lab.network`, which a worker simulates. kPorts: they are
  /// ports of the configuration.
  switchtest::RigKind kind = switchtest::RigKind::kRings;
  std::vector<std::string> ports;  ///< kPorts: names of elements of RunConfig::ports, in rig order
  bool quiet = false;              ///< print nothing while waiting for links
  /// Called from time to time; if it returns true, RealRig throws Interrupted. Empty: SIGINT and SIGTERM
  /// interrupt.
  std::function<bool()> interrupted;
};

/// Test ports in real time, on DPDK ports. The loops that poll them run during trials: one on the calling
/// thread, and one on each worker that does not run the network, if all have CPUs of their own. Ports are
/// distributed over them in turn, so that each has its own loop if there are as many loops as ports.
///
/// Counts are exact; a time is exact to one turn of a loop, which takes microseconds. A trial in which a loop
/// was not run, or in which the rig lost or delayed frames, is void (switchtest::RigFaults).
class RealRig final : public switchtest::Rig {
 public:
  /// Opens the ports and waits for their links, for at most `run.connect_timeout`. `lab` may be a temporary.
  /// Throws EnvironmentError, RequestError, ConfigError and Interrupted.
  RealRig(const config::LabConfig& lab, RealRigSettings settings);
  ~RealRig() override;

  switchtest::RigKind kind() const override { return settings_.kind; }
  const std::vector<switchtest::RigPort>& ports() const override { return ports_; }
  switchtest::TrialResult run(const switchtest::Trial& trial) override;
  Time now() const override { return dpdk_.now() - created_; }
  std::optional<Time> own_delay() const override { return std::nullopt; }
  /// Longer than a frame may be late in a trial plus a gap of the network's loop.
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
  /// Receives and drops what has arrived. Returns the number of frames of test ports.
  std::size_t discard();
  void observe();
  void check_interrupted() const;
  bool interrupted() const;

  RealRigSettings settings_;
  const config::LabConfig lab_;
  DpdkRuntime dpdk_;
  std::vector<switchtest::RigPort> ports_;
  std::vector<std::unique_ptr<switchtest::TestPort>> endpoints_;
  std::vector<std::unique_ptr<dataplane::TestPortLoop>> loops_;  ///< the first one is for this thread
  std::vector<unsigned> lcores_;                                 ///< of the other loops
  std::unique_ptr<RigNetwork> network_;                          ///< kRings only
  std::atomic<bool> stop_{false};
  Time created_ = 0;
  Time taught_ = 0;
  std::uint16_t trial_ = 0;
};

}  // namespace softfeb::runtime
