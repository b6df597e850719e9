// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/checks.hpp"
#include "stats/goodput.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// The result document (doc/result.md): one JSON object, complete however the run ended.
/// `machine`: null without one, in virtual time.
nlohmann::ordered_json make_result(const config::RunConfig& config, const runtime::DpdkRuntime* dpdk,
                                   const endpoints::Plans& plans, const stats::Outcome& outcome,
                                   endpoints::Endpoints& endpoints,
                                   const std::vector<endpoints::Targets::Session>& sessions,
                                   const lab::Judgement& judgement);

/// The files in the folder of `--report`.
inline constexpr const char* kReportConfig = "config.yaml";
inline constexpr const char* kReportResult = "result.json";
inline constexpr const char* kReportSeries = "series.csv";

/// Before a run: every file it is to write (result, report, receivers' `out`, captures) can be written; makes
/// the report's folder. Throws EnvironmentError.
void check_writable(const config::RunConfig& config, const std::optional<std::string>& json,
                    const std::optional<std::string>& report);

/// Writes `text` to `path` so that it appears complete or not at all; "-" is standard output. Throws
/// EnvironmentError.
void write_atomically(const std::string& path, const std::string& text);

/// The table a person reads at the end.
std::string result_table(const config::RunConfig& config, const endpoints::Plans& plans,
                         const stats::Outcome& outcome, const endpoints::Endpoints& endpoints,
                         const lab::Judgement& judgement);

/// Writes the regions of receivers that have an `out` file; returns a line for each.
std::vector<std::string> write_outputs(const config::RunConfig& config, const endpoints::Plans& plans,
                                       endpoints::Endpoints& endpoints);

}  // namespace softfeb::report
