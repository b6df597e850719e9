// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/worker.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "switchtest/rig_faults.hpp"

#include <cstdint>
#include <functional>

namespace softfeb::runtime {

/// Returns `lab` with its ports replaced by two ports for each station of the network: the two ends of a
/// ring. Port i is the end that the test port of station i uses. After all these ports, the list contains the
/// other ends in the same order; the network uses them (LabConfig::port_stations).
config::LabConfig with_station_rings(config::LabConfig lab);

/// Maximum number of frames in the network of a rig: network_frames() plus the number of frames of minimum
/// length for which the switch buffers have room, but at most 2^17.
std::uint32_t rig_frames(const config::LabConfig& lab);

/// The simulated network of a rig in real time. It runs on the worker `lab.network_worker` from construction
/// to destruction.
class RigNetwork {
 public:
  /// `lab` must be a result of with_station_rings(), and `dpdk` must have been created with the configuration
  /// lab.run. Both must outlive this object. Throws EnvironmentError.
  RigNetwork(const config::LabConfig& lab, DpdkRuntime& dpdk);
  ~RigNetwork();
  RigNetwork(const RigNetwork&) = delete;
  RigNetwork& operator=(const RigNetwork&) = delete;

  /// Reads the state of the network, which takes about two iterations of the worker. Calls `wait` repeatedly
  /// until the state has arrived.
  void observe(const std::function<void()>& wait);
  /// Begins a trial. The latest state becomes its initial state.
  void begin() { before_ = now_; }
  /// Adds the events between begin() and the latest state. Raises `faults.network_gap` to the longest gap
  /// between two iterations of the worker in the time between the last two calls of observe().
  void add_to(switchtest::RigFaults& faults) const;
  /// True if, according to the latest state, no frame is in the network or in a ring. `sent` is the number of
  /// packets that the test ports have put into the rings, and `received` the number that they have taken out.
  bool empty(std::uint64_t sent, std::uint64_t received) const;

 private:
  struct State {
    std::uint64_t lost = 0;     ///< frames lost outside switches
    std::uint64_t held_up = 0;  ///< number of receive bursts shortened because the network was full
    std::uint64_t rx_packets = 0, tx_packets = 0;
    std::uint64_t inside = 0;  ///< frames in the network, or waiting for a ring
    Time longest_gap = 0;
  };
  void request(const std::function<void()>& wait);
  State state() const;

  dataplane::Worker worker_;
  dataplane::SnapshotRequest request_;
  State before_, now_;
};

}  // namespace softfeb::runtime
