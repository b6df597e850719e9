// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/round_numbers.hpp"
#include "switchtest/runner.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::report {

/// Finds the figures of a report, which are the measured values (switchtest::Figure), by test, name and
/// labels.
class FigureIndex {
 public:
  using Labels = std::map<std::string, std::string>;

  explicit FigureIndex(const switchtest::SwitchReport& report) : report_(report) {}

  const switchtest::SwitchReport& report() const { return report_; }
  /// Returns the figure with exactly these labels, or null if there is none.
  const switchtest::Figure* find(std::string_view test, std::string_view name,
                                 const Labels& labels = {}) const;
  /// Returns the same as find(), but null if the figure was not measured.
  const switchtest::Figure* measured(std::string_view test, std::string_view name,
                                     const Labels& labels = {}) const;
  /// Returns all figures with this name, in the order of the report.
  std::vector<const switchtest::Figure*> all(std::string_view test, std::string_view name) const;
  /// Returns the word that is the value of a measured figure (Figure::text); empty if there is none.
  std::string word(std::string_view test, std::string_view name) const;
  bool absent(std::string_view test, std::string_view name) const;
  /// Returns the reason why there is no value: the reason of the figure, the reason of its test, or the
  /// statement that the test did not run.
  std::string why_not(std::string_view test, std::string_view name) const;

 private:
  const switchtest::TestReport* test(std::string_view name) const;

  const switchtest::SwitchReport& report_;
};

/// Returns the integers in the interval of a measured figure, after multiplication by `scale`.
WholeRange range_of(const switchtest::Figure& figure, double scale = 1);

/// Formats the test and the interval of a figure, for example "ecn: 40,657 to 41,598 B". If both bounds are
/// equal, there is only one number.
std::string interval_note(std::string_view test, const switchtest::Figure& figure);

}  // namespace softfeb::report
