// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

/// Repeats other tests during the test `soak`, and shows how their figures vary.
class Recheck {
 public:
  /// Runs the tests with the quick effort. `at` is the time since the start of the test `soak`.
  void run(Context& ctx, const std::vector<std::string>& tests, Time at);
  /// For each figure that has a value, adds a figure `recheck` (median and range of all runs) and a curve.
  void report(Context& ctx) const;
  unsigned runs() const { return runs_; }

 private:
  /// Identifies a figure: the name of its test, its own name, and its labels.
  struct Key {
    std::string test, figure;
    std::map<std::string, std::string> labels;
    auto operator<=>(const Key&) const = default;
    std::string text() const;
  };
  struct Values {
    std::string unit;
    std::vector<Curve::Point> points;  ///< x is the time since the start of the test `soak`, in hours
    unsigned absent = 0;               ///< number of runs in which the figure was absent
  };

  std::map<Key, Values> values_;
  unsigned runs_ = 0;
};

}  // namespace softfeb::switchtest
