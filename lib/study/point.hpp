// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_checks.hpp"
#include "config/lab_config.hpp"
#include "report/lab_result.hpp"
#include "study/grid.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::study {

using Json = nlohmann::ordered_json;

/// A column of the table: a figure of each point.
struct Measure {
  const char* name;
  config::LimitUnit unit;
  /// Name of the check whose value it is; null: PointRun has the value.
  const char* check;
  double scale;
};

/// All columns, in the order of the table.
struct Measures {
  const Measure* begin() const;
  const Measure* end() const;
};
inline constexpr Measures kMeasures;

/// What became of a point.
struct PointRun {
  report::LabRun run;
  std::optional<double> goodput_gbps;  ///< goodput of all boards together
  std::optional<double> latency_us;    ///< mean latency of all transfers
  std::string error;                   ///< reason why there is no run
  bool done = false;                   ///< the run was not interrupted
};

/// An element of `points[]` (doc/result.md), which does not depend on where or when the point was run:
/// `values` of the axes, the measures (null: the run has no such value), `verdict`, `error` if there is no
/// run, and `failed_checks` if there are any.
Json point_json(const Grid& grid, std::size_t point, const PointRun& run);

/// True if every check of the point held.
bool held(const Json& point);
std::optional<double> measured(const Json& point, const Measure& measure);

/// Identifies a point: 16 hexadecimal digits, which depend on the version and the resolved configuration,
/// including the seed and the contents of the files that it reads.
std::string point_key(const config::LabConfig& config, const std::string& version);

}  // namespace softfeb::study
