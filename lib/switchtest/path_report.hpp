// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/estimators.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// The paths of flows that differ in one field.
struct FlowsByPath {
  std::string field;                 ///< word(FlowField), or "none" if the switch distributes single frames
  std::vector<std::uint64_t> flows;  ///< number of flows on each path

  /// Number of paths that have flows.
  std::size_t used() const;
};

/// Adds the figures mmr, jain, p_value, ideal_mmr and ideal_jain of a field, and the chart "flows". If all
/// flows take the same path, the figures mmr, jain and p_value are absent, and the rest is not added.
void report_spread(Context& ctx, const FlowsByPath& by_path);

/// Adds the figure `fields`, which names the fields that affect the path. A field affects the path if flows
/// that differed only in this field took at least two paths. Returns false if there are no such fields.
bool report_fields(Context& ctx, const std::vector<FlowsByPath>& by_field);

/// Adds the figure `per_packet`, which is the share of flows that take several paths.
void report_per_packet(Context& ctx, const Interval& share, Method method);

/// Adds the figure `paths`. `unplaced` is the number of flows whose path is unknown; these flows may take
/// further paths.
void report_path_count(Context& ctx, std::size_t paths, std::size_t unplaced = 0);

/// Ends the test because the switch has only one path, or uses only one path.
void report_one_path(Context& ctx, const std::string& reason);

}  // namespace softfeb::switchtest
