// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"
#include "switchtest/findings.hpp"
#include "switchtest/rig.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// Which rig ports play which part. A, B and C send; D and E receive. With two ports, there are only A and D.
/// With three ports, C also plays B and E. With four, C also plays E.
struct Roles {
  std::uint16_t a = 0, d = 1;
  std::optional<std::uint16_t> b{}, c{}, e{};

  /// All senders: A, then B and C if they exist and are different ports.
  std::vector<std::uint16_t> senders() const;
};

struct Settings {
  Roles roles;
  bool plain_udp = false;
  std::uint8_t dscp = 26;
  std::uint64_t seed = 1;
};

/// What a test needs: the rig, the settings, and what earlier tests have found. Runs trials and counts them.
class Context {
 public:
  Context(Rig& rig, const Settings& settings, Findings& findings, TestReport& report);

  Rig& rig;
  const Settings& settings;
  Findings& findings;
  TestReport& report;

  const Roles& roles() const { return settings.roles; }
  std::uint64_t rate(std::uint16_t port) const { return rig.ports()[port].rate; }
  bool exact() const { return rig.exact(); }

  /// An empty trial with the priorities that the findings say. Seeds of sources should come from seed().
  Trial trial() const;
  /// A different number at each call, derived from Settings::seed.
  std::uint64_t seed();
  /// A frame of `with_fcs` bytes from anywhere to `to`, as the settings say.
  FrameKind frame(std::uint16_t to, std::uint32_t with_fcs) const;

  /// Time that a pause frame or the last frame of a train takes to have its effect, generously.
  Time settle() const;

  /// Runs a trial; counts it, and counts void ones separately.
  TrialResult run(const Trial& trial);
  /// Repeats run() until a trial is valid, at most five times. nullopt: all were void.
  std::optional<TrialResult> run_valid(const Trial& trial);
  /// Void trials of this test; more than half of the planned ones make the figures inconclusive.
  unsigned trials() const { return trials_; }
  unsigned void_trials() const { return void_; }
  std::string last_void_reason() const { return void_reason_; }

  /// Adds a figure; fills in trials and void_trials.
  Figure& add(Figure figure);
  Figure& add_absent(const std::string& name, const std::string& reason);
  Figure& add_unresolvable(const std::string& name, const std::string& reason);
  Figure& add_inconclusive(const std::string& name);

 private:
  unsigned trials_ = 0, void_ = 0;
  std::string void_reason_;
  std::uint64_t seeds_ = 0;
};

}  // namespace softfeb::switchtest
