// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// The required result of a figure: a number between `min` and `max`, or a word.
struct Expectation {
  std::string test, figure;
  /// The expectation applies to figures with at least these labels.
  std::map<std::string, std::string> labels;
  std::optional<double> min, max;  ///< bounds in the unit of the figure
  /// If this is true, the user wrote the bounds in percent. `min` and `max` then contain fractions of 1, and
  /// are converted for figures whose unit is percent.
  bool percent = false;
  /// The text of the figure, or the name of a status such as "absent".
  std::optional<std::string> word;
  std::string text;   ///< as the user wrote it
  std::string place;  ///< file and line, for messages
};

/// An expectation applied to a figure.
struct Verdict {
  enum class Outcome : std::uint8_t {
    kHeld,
    kFailed,
    kUndecided,  ///< the results do not show whether the expectation holds
  };
  std::size_t expectation = 0;  ///< index of the expectation
  std::string test;
  std::optional<std::size_t> figure;  ///< index into TestReport::figures; empty if no figure matches
  Outcome outcome = Outcome::kHeld;
  std::string reason;  ///< why the expectation did not hold, in words
};

/// Name of a status, such as "measured".
const char* name(Status status);

/// Judges each expectation about the tests in `tests`, and skips expectations about other tests. An
/// expectation fails if a figure is out of bounds, or if no figure matches although the test was conclusive.
/// An expectation is undecided if the figure could not be measured, if only a part of the figure's interval
/// is out of bounds, or if only one bound of the figure is known and this bound proves nothing.
std::vector<Verdict> judge(const std::vector<TestReport>& tests,
                           const std::vector<Expectation>& expectations);

}  // namespace softfeb::switchtest
