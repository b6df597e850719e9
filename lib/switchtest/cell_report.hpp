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

/// Adds the figures and the staircase of the test cells. `points` are in ascending order of length; those in
/// `scanned` are drawn. With `headroom`, frames were also in a second memory.
void report_cells(Context& ctx, const std::vector<CellPoint>& points, const LengthRange& scanned,
                  bool headroom);

}  // namespace softfeb::switchtest
