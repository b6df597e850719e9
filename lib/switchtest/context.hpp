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
  /// Number of repetitions of a trial without random choices; `standard` is that of the standard effort.
  unsigned repetitions(unsigned standard) const;
  /// Duration of a stream of frames. The quick effort takes a fiftieth. A virtual rig takes a tenth of
  /// either, because it has no noise.
  Time duration(Time standard, Time rfc) const;

  /// An empty trial with the priorities that the findings say. Seeds of sources should come from seed().
  Trial trial() const;
  /// A different number at each call, derived from Settings::seed and the test.
  std::uint64_t seed();
  /// A frame of `with_fcs` bytes from anywhere to `to`, as the settings say. Falls back to plain UDP if no
  /// RoCE frame has this size.
  FrameKind frame(std::uint16_t to, std::uint32_t with_fcs) const;
  /// The largest of the usual sizes (with FCS) that passes from `from` to `to`: 4174 unless the ports or the
  /// switch permit less.
  std::uint32_t large_size(std::uint16_t from, std::uint16_t to) const;
  /// Settings::sizes that pass from `from` to `to`. The quick effort takes the smallest, a middle and the
  /// largest one in real time.
  std::vector<std::uint32_t> sizes(std::uint16_t from, std::uint16_t to) const;

  /// Runs a trial; counts it, and counts void ones separately.
  TrialResult run(const Trial& trial);
  /// Repeats run() until a trial is valid, at most five times. nullopt: all were void.
  std::optional<TrialResult> run_valid(const Trial& trial);
  /// The same for trials that the rig takes for valid although they say nothing: `flaw` returns why. Empty:
  /// the trial is valid.
  std::optional<TrialResult> run_valid(const Trial& trial,
                                       const std::function<std::string(const TrialResult&)>& flaw);
  /// Counts the latest trial as void, although the rig takes it for valid.
  void reject(const std::string& reason);
  /// Reason of the latest void trial.
  std::string last_void_reason() const { return void_reason_; }

  /// Adds a figure; fills in trials and void_trials.
  Figure& add(Figure figure);
  /// Adds a figure without a value. kAbsent: the switch does not do this. kUnresolvable: this rig cannot
  /// tell. kInconclusive: the rig failed.
  Figure& add_without_value(std::string name, Status status, std::string reason);
  /// Ends a test without result: all its remaining figures are missing for this reason.
  void unresolvable(std::string reason);
  /// Ends a test because too many trials were void; the reason is that of the latest void trial.
  void inconclusive();

 private:
  unsigned trials_ = 0, void_ = 0;
  std::string void_reason_;
  std::uint64_t seeds_ = 0;
};

}  // namespace softfeb::switchtest
