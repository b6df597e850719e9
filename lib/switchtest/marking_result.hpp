// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_train.hpp"

#include <optional>
#include <string>

namespace softfeb::switchtest {

/// Results of the test `ecn`.
struct MarkingResult {
  std::optional<MarkingFit> fit;  ///< empty if no curve explains the marks
  std::string no_fit = "no curve explains the marks";
  std::string no_pmax;  ///< why Pmax is unknown although there is a fit
  MarkedAt at = MarkedAt::kEnqueue;
  bool at_is_known = false;
  bool averaged = false;
  /// Valid if `averaged` is true and there is a fit. With a weight of N, each frame moves the average by
  /// 1/2^N of the difference between the queue length and the average.
  Interval weight;
  std::string scope;                                     ///< "queue" or "port"; empty if unknown
  std::string no_scope = "no curve explains the marks";  ///< why the scope is unknown
};

}  // namespace softfeb::switchtest
