// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"
#include "switchtest/findings.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/settings.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

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
  /// True if the same trial always gives the same result, so that it need not be repeated.
  bool exact() const { return rig.kind() == RigKind::kVirtual; }
  bool quick() const { return settings.effort == Effort::kQuick; }
  /// Number of repetitions of a trial that contains no random choices: 1 on a virtual rig, about a tenth of
  /// `standard` (but at least 3) with the quick effort (Settings::effort), and `standard` with the other
  /// efforts.
  unsigned repetitions(unsigned standard) const;
  /// Duration of a stream of frames: `standard` for the standard effort, a fiftieth of `standard` for the
  /// quick effort, and `rfc` for the RFC effort. A virtual rig has no noise, and therefore uses a tenth of
  /// this duration.
  Time duration(Time standard, Time rfc) const;

  /// Returns an empty trial that uses the pause mode and priorities in `findings`. Sources should take their
  /// seeds from seed().
  Trial trial() const;
  /// Returns a different number at each call, derived from Settings::seed and the name of the test.
  std::uint64_t seed();
  /// Returns a frame of `with_fcs` bytes to port `to`, with the DSCP and protocol of the settings. Falls back
  /// to plain UDP if RoCE frames cannot have this size.
  FrameKind frame(std::uint16_t to, std::uint32_t with_fcs) const;
  /// Returns the largest of the usual frame sizes (with FCS) that passes from `from` to `to`. The size is
  /// 4174 bytes, or less if the ports or the switch do not permit 4174 bytes.
  std::uint32_t large_size(std::uint16_t from, std::uint16_t to) const;
  /// Returns the sizes in Settings::sizes that can pass from `from` to `to`. In real time, the quick effort
  /// uses only the smallest size, the largest size and one in between.
  std::vector<std::uint32_t> sizes(std::uint16_t from, std::uint16_t to) const;

  /// Runs a trial and counts it. Void trials are also counted separately.
  TrialResult run(const Trial& trial);
  /// Repeats run() until a trial is valid, at most five times. Returns std::nullopt if all five were void.
  std::optional<TrialResult> run_valid(const Trial& trial);
  /// Like run_valid() above, but also rejects trials for which `flaw` returns a reason why they are of no
  /// use. `flaw` returns an empty string for a good trial.
  std::optional<TrialResult> run_valid(const Trial& trial,
                                       const std::function<std::string(const TrialResult&)>& flaw);
  /// Counts the latest trial as void although the rig considered it valid.
  void reject(const std::string& reason);
  /// Reason of the latest void trial.
  std::string last_void_reason() const { return void_reason_; }

  /// Adds a figure, and sets its numbers of trials and void trials.
  Figure& add(Figure figure);
  /// Adds a figure without a value. `status` is kAbsent if the switch does not do what the figure describes,
  /// kUnresolvable if this rig cannot measure the figure, and kInconclusive if the rig failed.
  Figure& add_without_value(std::string name, Status status, std::string reason);
  /// Ends the test without a result: `reason` is reported for all figures that are still missing.
  void unresolvable(std::string reason);
  /// Ends the test because too many trials were void. The reported reason is that of the latest void trial.
  void inconclusive();

 private:
  unsigned trials_ = 0, void_ = 0;
  std::string void_reason_;
  std::uint64_t seeds_ = 0;
};

}  // namespace softfeb::switchtest
