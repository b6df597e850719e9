// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/checks.hpp"
#include "stats/goodput.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::runtime {
class DpdkRuntime;
}

namespace softfeb::report {

/// Returns the result document (doc/result.md): one JSON object, which is complete no matter how the run
/// ended. `dpdk` is null in virtual time.
nlohmann::ordered_json make_result(const config::RunConfig& config, const runtime::DpdkRuntime* dpdk,
                                   const endpoints::Plans& plans, const stats::Outcome& outcome,
                                   endpoints::Endpoints& endpoints,
                                   const std::vector<endpoints::Targets::Session>& sessions,
                                   const lab::Judgement& judgement);

/// Returns the result of a host whose result could not be merged with the results of the other hosts:
/// `result` without the boards, receivers, ports and workers of other hosts, without sums and checks, and
/// with the verdict "incomplete". `why` tells the user what happened.
nlohmann::ordered_json part_of_host(const nlohmann::ordered_json& result, const std::string& host,
                                    const std::string& why);

/// Returns `ports` of the result document. Ports of other hosts are null, unless `outcome` has them.
nlohmann::ordered_json ports_result(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                                    const stats::Outcome& outcome);

/// Names of the files in the folder of `--report`.
inline constexpr const char* kReportConfig = "config.yaml";
inline constexpr const char* kReportResult = "result.json";
inline constexpr const char* kReportSeries = "series.csv";

/// Checks that all output files of a run (result, report, receivers' `out`, captures) can be written. Creates
/// the report's folder. Throws EnvironmentError. Call this function before the run.
void check_writable(const config::RunConfig& config, const std::optional<std::string>& json,
                    const std::optional<std::string>& report);

/// Writes `text` to `path`. The file appears complete or not at all; "-" is standard output. Throws
/// EnvironmentError.
void write_atomically(const std::string& path, const std::string& text);

/// Formats the table that is printed at the end of a run.
std::string result_table(const config::RunConfig& config, const endpoints::Plans& plans,
                         const stats::Outcome& outcome, const endpoints::Endpoints& endpoints,
                         const lab::Judgement& judgement);

/// Writes the memory regions of receivers that have an `out` file. Returns one line per file.
std::vector<std::string> write_outputs(const config::RunConfig& config, const endpoints::Plans& plans,
                                       endpoints::Endpoints& endpoints);

}  // namespace softfeb::report
