// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "closed_forms.hpp"

#include <string>
#include <vector>

namespace softfeb::test {

/// How well a report agrees with the truth.
struct Score {
  unsigned values = 0;       ///< figures with a value or a bound, of which the truth is known
  unsigned covered = 0;      ///< of these, figures whose interval contains the truth
  unsigned far = 0;          ///< figures that are wrong by more than twice the width of their interval
  unsigned words = 0;        ///< words and absent figures that are right
  unsigned wrong_class = 0;  ///< words that are wrong, values of what the switch does not do, and the reverse
  unsigned silent = 0;       ///< unresolvable or inconclusive, or not in the report
  std::vector<std::string> complaints;  ///< one for each figure that is not covered, far or of a wrong class

  double share() const { return values == 0 ? 1 : static_cast<double>(covered) / values; }
  void add(const Score& other);
};

/// Compares the figures of all tests in the report with what is known of them.
Score score(const switchtest::SwitchReport& report, const std::vector<Truth>& truths);

}  // namespace softfeb::test
