// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "closed_forms.hpp"

#include <string>
#include <vector>

namespace softfeb::test {

/// How well a report agrees with the true values.
struct Score {
  unsigned values = 0;   ///< number of figures with a value or a bound whose true value is known
  unsigned covered = 0;  ///< number of figures counted in `values` whose interval contains the true value
  unsigned far = 0;      ///< number of figures that are wrong by more than twice the width of their interval
  unsigned words = 0;    ///< number of correct words, and of figures that are correctly absent
  /// Number of figures of the wrong kind: those with the wrong word (Figure::text), those with a value or
  /// word for a feature that the switch does not have, those reported as absent although the switch has the
  /// feature, and those without a value or bound although the true value is known.
  unsigned wrong_class = 0;
  unsigned silent = 0;  ///< number of figures that are unresolvable, inconclusive or missing in the report
  /// One complaint for each figure that is not covered, is far off, or has the wrong class.
  std::vector<std::string> complaints;

  double share() const { return values == 0 ? 1 : static_cast<double>(covered) / values; }
  void add(const Score& other);
};

/// Compares the figures of all tests in the report with the true values that are known.
Score score(const switchtest::SwitchReport& report, const std::vector<Truth>& truths);

}  // namespace softfeb::test
