// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "switchtest/settings.hpp"
#include "switchtest/trial.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace softfeb::switchtest {

struct RigPort {
  std::string name;
  std::uint64_t rate = 0;               ///< bytes per second on the wire
  std::uint32_t largest_frame = 9'214;  ///< without FCS and tag
  PortAddress address;
};

/// Thrown when a signal interrupts the run.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// The set of ports with which softfeb tests a switch. Runs trials, one after the other. Tests access the
/// switch only through this interface.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual RigKind kind() const = 0;
  virtual const std::vector<RigPort>& ports() const = 0;
  /// Runs a trial until the switch is idle again: all frames have left the switch, and no pause is in force.
  /// Throws Interrupted if a signal interrupts the run, and std::invalid_argument if check() rejects the
  /// trial.
  virtual TrialResult run(const Trial& trial) = 0;
  /// Time since the rig was created.
  virtual Time now() const = 0;
  /// Returns the delay that the rig itself adds to every frame, measured with a cable between two ports.
  /// Returns std::nullopt if this delay was not measured; only differences between delays are then known.
  virtual std::optional<Time> own_delay() const = 0;
  /// Time after which a frame that a port has sent has certainly taken effect in the switch: a pause is in
  /// force, or a data frame is in its queue.
  virtual Time settle() const = 0;
};

/// Returns the rig ports of a simulated network: station i is port i, with default_address(i).
std::vector<RigPort> ports_of(const fabric::NetworkConfig& network);

/// Throws std::invalid_argument if the trial refers to ports or kinds that do not exist, contains a frame
/// length that is not possible, or ends before its sources start.
void check(const Trial& trial, const std::vector<RigPort>& ports);

}  // namespace softfeb::switchtest
