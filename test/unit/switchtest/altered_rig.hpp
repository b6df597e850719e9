// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run_test.hpp"
#include "switchtest/virtual_rig.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::test {

/// A virtual rig whose trials and results a test can alter, to imitate switches or faults that simulated
/// networks do not have.
class AlteredRig final : public switchtest::Rig {
 public:
  explicit AlteredRig(const fabric::NetworkConfig& network) : rig_(network) {}

  /// Called with each trial before the trial runs; may change the trial.
  std::function<void(switchtest::Trial&)> change{};
  /// Called with each trial and its result; may change the result.
  std::function<void(const switchtest::Trial&, switchtest::TrialResult&)> alter{};
  switchtest::RigKind as = switchtest::RigKind::kVirtual;
  std::optional<Time> own = 0;
  /// Ports to report instead of those of the network; nullopt: the ports of the network are reported.
  std::optional<std::vector<switchtest::RigPort>> other_ports{};

  switchtest::RigKind kind() const override { return as; }
  const std::vector<switchtest::RigPort>& ports() const override {
    return other_ports ? *other_ports : rig_.ports();
  }
  switchtest::TrialResult run(const switchtest::Trial& trial) override {
    switchtest::Trial changed = trial;
    if (change) change(changed);
    switchtest::TrialResult out = rig_.run(changed);
    if (alter) alter(trial, out);
    return out;
  }
  Time now() const override { return rig_.now(); }
  std::optional<Time> own_delay() const override { return own; }
  Time settle() const override { return rig_.settle(); }

 private:
  switchtest::VirtualRig rig_;
};

}  // namespace softfeb::test
