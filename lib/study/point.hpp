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

/// A column of the table: a quantity that is measured at each point.
struct Measure {
  const char* name;
  config::LimitUnit unit;
  /// Name of the check that has this value; null if PointRun contains the value.
  const char* check;
  double scale;
};

/// All columns, in the order of the table.
struct Measures {
  const Measure* begin() const;
  const Measure* end() const;
};
inline constexpr Measures kMeasures;

/// The outcome of a point.
struct PointRun {
  report::LabRun run;
  std::optional<double> goodput_gbps;  ///< goodput of all boards together
  std::optional<double> latency_us;    ///< mean latency of all transfers
  std::string error;                   ///< reason why the point could not be run; empty if it was run
  bool done = false;                   ///< true if the point was run, and the run was not interrupted
};

/// Returns an element of `points[]` (doc/result.md): `values` of the axes, the measures (null if the run has
/// no such value), `verdict`, `error` if there is no run, and `failed_checks` if there are any. The element
/// does not depend on where or when the point was run.
Json point_json(const Grid& grid, std::size_t point, const PointRun& run);

/// True if all checks of the point held.
bool held(const Json& point);
std::optional<double> measured(const Json& point, const Measure& measure);

/// Returns the key of a point: 16 hexadecimal digits that depend on the version and on the resolved
/// configuration, including the seed and the contents of the files that the configuration reads.
std::string point_key(const config::LabConfig& config, const std::string& version);

}  // namespace softfeb::study
