// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/checks.hpp"
#include "lab/judge.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// One run of an experiment, judged.
struct LabRun {
  lab::RunStats figures;
  std::vector<lab::CheckResult> checks;
  lab::Verdict verdict = lab::Verdict::kFailed;
};

LabRun judge_lab(const config::LabConfig& config, lab::RunStats figures);

/// Of the whole command: what every run must meet (checks.hpp), and what the experiment asks for, in real
/// time and in virtual time (null: not run).
lab::Verdict verdict_of(const lab::Judgement& judgement, const LabRun& run, const LabRun* in_virtual);
int exit_code_of(lab::Verdict verdict);

/// Makes a result of make_result() that of an experiment: `config`, `switches`, `fairness_jain`, `checks`,
/// `verdict`, and section `lab` (doc/result.md). `in_virtual`: of the same topology, beside a run in real
/// time; null: none.
void add_lab(nlohmann::ordered_json& result, const config::LabConfig& config,
             const fabric::NetworkSnapshot& network, const lab::Judgement& judgement, const LabRun& run,
             const LabRun* in_virtual);

/// What a person reads at the end: figures of real and virtual time side by side, with limits and verdict.
/// Either may be null.
std::string lab_table(const config::LabConfig& config, const LabRun* real, const LabRun* in_virtual);

/// NAME of the port that is looked at; empty without one.
std::string bottleneck_name(const config::LabConfig& config);
/// "feb0, feb1" of the configuration's boards.
std::string board_names(const config::LabConfig& config, const std::vector<std::size_t>& boards);

}  // namespace softfeb::report
