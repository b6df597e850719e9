// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checks.hpp"
#include "figures.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::app {

/// The result document (doc/result.md): one JSON object, complete however the run ended.
/// `machine`: null without one, in virtual time.
nlohmann::ordered_json make_result(const config::RunConfig& config, const Machine* machine,
                                   const lab::Plans& plans, const Outcome& outcome, Endpoints& endpoints,
                                   const std::vector<Targets::Session>& sessions, const Judgement& judgement);

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
std::string result_table(const config::RunConfig& config, const lab::Plans& plans, const Outcome& outcome,
                         const Endpoints& endpoints, const Judgement& judgement);

/// Writes the regions of receivers that have an `out` file; returns a line for each.
std::vector<std::string> write_outputs(const config::RunConfig& config, const lab::Plans& plans,
                                       Endpoints& endpoints);

}  // namespace softfeb::app
