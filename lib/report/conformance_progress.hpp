// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <functional>
#include <string>
#include <vector>

namespace softfeb::report {

/// Prints a line for each group of cases while a conformance run is under way. Pass on_case() to
/// Suite::on_case(), and call finish() after the run.
class ConformanceProgress {
 public:
  using Print = std::function<void(const std::string& line)>;
  /// `catalogue` must outlive this object. `print` is called with lines without a newline.
  ConformanceProgress(const conformance::Catalogue& catalogue, Print print)
      : catalogue_(catalogue), print_(std::move(print)) {}

  void on_case(const conformance::CaseResult& result);
  /// Prints the line of the last group.
  void finish();

 private:
  const conformance::Catalogue& catalogue_;
  Print print_;
  conformance::SuiteResult group_;  ///< the cases of the current group
};

/// Returns the text at the end of a run: each failed or inconclusive case with what was expected and what was
/// observed, expected deviations that were not observed, and totals. `folder` is the location of the pages;
/// it is empty if no pages were written. `strict` is passed to overall_verdict().
std::string conformance_summary(const conformance::SuiteResult& result, const std::string& folder,
                                bool strict);

}  // namespace softfeb::report
