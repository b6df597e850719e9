// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "study/grid.hpp"
#include "study/point.hpp"

#include <string>
#include <vector>

namespace softfeb::study {

/// Name of a study's table in its folder and in the folder of `--report`.
inline constexpr const char* kSweepCsv = "sweep.csv";

/// The results of all points, in their order.
using Points = std::vector<Json>;

/// True if every point was run, and all its checks held, including conservation.
bool all_held(const Points& points);

/// One row for each point: its values, then its measures. A measure that the run does not have is empty.
std::string csv(const Grid& grid, const Points& points);

/// The result document of a study (doc/result.md).
Json result_json(const Json& config, const Points& points);

/// The table on the terminal, without columns that no point has a value for.
std::string text_table(const Grid& grid, const Points& points);

/// One line for each error and each check that failed: "kmin=20KiB rhai=24Mb/s: check jain failed".
std::vector<std::string> complaints(const Grid& grid, const Points& points);

}  // namespace softfeb::study
