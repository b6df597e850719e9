// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/path_finder.hpp"
#include "switchtest/path_report.hpp"
#include "switchtest/shared_links.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The variant of the test `ecmp` for a fabric: all paths are inside the switch under test. The test infers
/// the path of each flow from the other flows with which this flow shares a link.
class FabricPaths {
 public:
  explicit FabricPaths(Context& ctx) : ctx_(ctx), links_(ctx) {}
  void run();

 private:
  std::optional<PathFinder> find_paths(unsigned percent);
  bool compare_by_field(PathFinder& finder);
  std::vector<FlowsByPath> spread_by_field(const PathFinder& finder) const;
  std::size_t unplaced() const;
  void report_spraying();

  Context& ctx_;
  SharedLinks links_;
  std::vector<std::vector<std::size_t>> paths_;  ///< path of each flow, indexed by field and by flow
};

}  // namespace softfeb::switchtest
