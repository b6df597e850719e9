// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"
#include "switchtest/preflight.hpp"
#include "switchtest/rig.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::switchtest {

/// Rig ports by their part in a test.
struct Roles {
  std::uint16_t a = 0;  ///< sends
  std::uint16_t d = 1;  ///< receives, and pauses the switch
};

struct Settings {
  Roles roles;
  bool plain_udp = false;
  std::uint8_t dscp = 26;
  std::uint64_t seed = 1;
};

/// Gives a test its rig, its settings and the findings of earlier tests. Runs trials and counts them.
class Context {
 public:
  Context(Rig& rig, const Settings& settings, Findings& findings, TestReport& report);

  Rig& rig;
  const Settings& settings;
  Findings& findings;
  TestReport& report;

  const Roles& roles() const { return settings.roles; }
  std::uint64_t rate(std::uint16_t port) const { return rig.ports()[port].rate; }

  /// An empty trial with the priorities that the findings say. Seeds of sources should come from seed().
  Trial trial() const;
  /// A different number at each call, derived from Settings::seed.
  std::uint64_t seed();
  /// A frame of `with_fcs` bytes from anywhere to `to`, as the settings say.
  FrameKind frame(std::uint16_t to, std::uint32_t with_fcs) const;

  /// Runs a trial; counts it, and counts void ones separately.
  TrialResult run(const Trial& trial);
  /// Repeats run() until a trial is valid, at most five times. nullopt: all were void.
  std::optional<TrialResult> run_valid(const Trial& trial);
  /// Reason of the latest void trial.
  std::string last_void_reason() const { return void_reason_; }

  /// Adds a figure; fills in trials and void_trials.
  Figure& add(Figure figure);

 private:
  unsigned trials_ = 0, void_ = 0;
  std::string void_reason_;
  std::uint64_t seeds_ = 0;
};

}  // namespace softfeb::switchtest
