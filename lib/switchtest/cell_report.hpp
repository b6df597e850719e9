// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/cell_fit.hpp"
#include "switchtest/context.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::switchtest {

/// Lengths of frames, without FCS.
struct LengthRange {
  std::uint32_t first = 0, last = 0;
};

/// Adds the figures and the staircase curve of the test `cells`. `points` must be in ascending order of
/// length; the curve shows the points in `scanned`. `headroom` tells whether the switch also stored frames in
/// headroom.
void report_cells(Context& ctx, const std::vector<CellPoint>& points, const LengthRange& scanned,
                  bool headroom);

}  // namespace softfeb::switchtest
