// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

/// Repeats other tests during a soak test, and shows how their figures vary.
class Recheck {
 public:
  /// Runs the tests with the quick effort. `at`: time since the start of the soak test.
  void run(Context& ctx, const std::vector<std::string>& tests, Time at);
  /// Adds a figure `recheck` (median, and range of all runs) and a curve for each figure with a value.
  void report(Context& ctx) const;
  unsigned runs() const { return runs_; }

 private:
  /// A figure of a test: the name of the test, and the figure's name and labels.
  struct Key {
    std::string test, figure;
    std::map<std::string, std::string> labels;
    auto operator<=>(const Key&) const = default;
    std::string text() const;
  };
  struct Values {
    std::string unit;
    std::vector<Curve::Point> points;  ///< by hours
    unsigned absent = 0;               ///< runs in which the switch did not do this
  };

  std::map<Key, Values> values_;
  unsigned runs_ = 0;
};

}  // namespace softfeb::switchtest
