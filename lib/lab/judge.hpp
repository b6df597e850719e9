// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_checks.hpp"
#include "config/lab_config.hpp"
#include "lab/conservation.hpp"
#include "lab/metrics.hpp"
#include "lab/totals.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::lab {

/// All figures of one run of an experiment.
struct RunFigures {
  bool virtual_time = false;
  double stolen_share = 0;  ///< of the time of the worker that fared worst, what the machine gave to others
  LabFigures metrics;
  Totals totals;
  std::vector<Balance> balances;
  std::uint64_t memory_wrong = 0;       ///< bytes of receivers' memory that nobody should have left there
  std::optional<double> rate_tracking;  ///< none: not looked at
  std::optional<double> sawtooth;
};

/// A figure beside its limit.
struct CheckResult {
  std::string name;
  config::LimitUnit unit = config::LimitUnit::kCount;
  bool at_least = false;
  bool gated = true;  ///< counts for the verdict
  bool held = false;
  std::optional<double> value;  ///< none: there was nothing to judge
  double limit = 0;
};

enum class Verdict : std::uint8_t {
  kHeld,
  kFailed,        ///< a check that counts did not hold
  kInconclusive,  ///< those that count held, and the machine had too little time for the timing to mean
                  ///< anything
};
std::string_view to_string(Verdict verdict);

/// What a check of that name looks at; none where the run had nothing for it.
std::optional<double> value_of(std::string_view name, const RunFigures& figures);

/// The experiment's checks, then conservation, which is part of every experiment. In real time those that
/// depend on timing do not count; nor do those of steady states, where the run was too short for one.
std::vector<CheckResult> judge(const config::LabSettings& lab, const RunFigures& figures);
Verdict verdict_of(const config::LabSettings& lab, const RunFigures& figures,
                   const std::vector<CheckResult>& checks);

}  // namespace softfeb::lab
