// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "study/grid.hpp"
#include "study/point.hpp"

#include <string>
#include <vector>

namespace softfeb::study {

/// File name of a study's table, in the folder of the study and in the folder of `--report`.
inline constexpr const char* kSweepCsv = "sweep.csv";

/// The results of all points, in their order.
using Points = std::vector<Json>;

/// True if every point was run, and all its checks held, including conservation.
bool all_held(const Points& points);

/// Returns a table with one row for each point: its values, followed by its measures. A field is empty if the
/// run does not have this measure.
std::string csv(const Grid& grid, const Points& points);

/// Returns the result document of a study (doc/result.md).
Json result_json(const Json& config, const Points& points);

/// Returns the table for the terminal, without columns for which no point has a value.
std::string text_table(const Grid& grid, const Points& points);

/// Returns a line for each error and each failed check, such as "kmin=20KiB rhai=24Mb/s: check jain failed".
std::vector<std::string> complaints(const Grid& grid, const Points& points);

}  // namespace softfeb::study
