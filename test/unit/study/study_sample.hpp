// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "study/grid.hpp"
#include "study/point.hpp"

/// A grid of 2 x 3 points and results for it.
namespace study_sample {

inline softfeb::study::Grid grid() {
  return softfeb::study::Grid(
      {{.key = "network.switches.tor.queues.0.kmin", .values = {"20KiB", "40KiB"}, .where = {}},
       {.key = "boards.feb.dcqcn.rhai", .values = {"1", "2", "3"}, .where = {}}});
}

/// Returns a point that was run, with all checks held and a goodput of `gbps`.
inline softfeb::study::Json point(const softfeb::study::Grid& grid, std::size_t number, double gbps) {
  softfeb::study::PointRun run;
  run.run.verdict = softfeb::lab::Verdict::kHeld;
  run.goodput_gbps = gbps;
  run.done = true;
  return softfeb::study::point_json(grid, number, run);
}

}  // namespace study_sample
