// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/checks.hpp"
#include "lab/judge.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// One run of an experiment, with its checks.
struct LabRun {
  lab::RunStats figures;
  std::vector<lab::CheckResult> checks;
  lab::Verdict verdict = lab::Verdict::kFailed;
};

LabRun judge_lab(const config::LabConfig& config, lab::RunStats figures);

/// Returns the verdict of the whole command: kFailed if one of the checks that every run has (`judgement`,
/// checks.hpp) did not hold, or if the second run, in virtual time, failed. Otherwise, the result is the
/// verdict of `run`. `in_virtual` is null if there was no second run.
lab::Verdict verdict_of(const lab::Judgement& judgement, const LabRun& run, const LabRun* in_virtual);
int exit_code_of(lab::Verdict verdict);

/// Adds the experiment to a result of make_result(): `config`, `switches`, `fairness_jain`, `checks`,
/// `verdict`, and section `lab` (doc/result.md). `in_virtual` is the run in virtual time that follows a run
/// in real time, or null.
void add_lab(nlohmann::ordered_json& result, const config::LabConfig& config,
             const fabric::NetworkSnapshot& network, const lab::Judgement& judgement, const LabRun& run,
             const LabRun* in_virtual);

/// Formats the table that is printed at the end: results in real and virtual time side by side, with limits
/// and verdict. Either run may be null.
std::string lab_table(const config::LabConfig& config, const LabRun* real, const LabRun* in_virtual);

/// Returns the name of the bottleneck port; empty if the lab has none.
std::string bottleneck_name(const config::LabConfig& config);
/// Returns the names of `boards` as a list, for example "feb0, feb1". If there are more than four boards, the
/// list contains only the first two, and the number of the others.
std::string board_names(const config::LabConfig& config, const std::vector<std::size_t>& boards);

}  // namespace softfeb::report
