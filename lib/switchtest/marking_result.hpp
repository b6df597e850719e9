// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_train.hpp"

#include <optional>
#include <string>

namespace softfeb::switchtest {

/// What the test ecn has found out.
struct MarkingResult {
  std::optional<MarkingFit> fit;  ///< nullopt: no curve explains the marks
  std::string no_fit = "no curve explains the marks";
  std::string no_pmax;  ///< why Pmax is not known although there is a fit
  MarkedAt at = MarkedAt::kEnqueue;
  bool at_is_known = false;
  bool averaged = false;
  Interval weight;    ///< averaged, with a fit: N, if the average changes by 1/2^N with each frame
  std::string scope;  ///< "queue" or "port"; empty: not known
  std::string no_scope = "no curve explains the marks";  ///< why the scope is not known
};

}  // namespace softfeb::switchtest
