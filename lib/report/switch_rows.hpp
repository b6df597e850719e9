// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Formats figures of switch tests as text, with one or several figures in a row.
namespace softfeb::report {

using FigureLabels = std::map<std::string, std::string>;

/// A row of a report: one figure, or several figures with the same name and different labels.
struct SwitchRow {
  std::string name;         ///< as in a file of expectations: "load[direction=both,size=78]"
  std::size_t figures = 1;  ///< 0 if there is no figure, and the row is about an expectation
  /// The value with its unit, a range of values if there are several figures, a word, or the status.
  std::string value;
  std::string interval;  ///< interval of the value, in words; empty if there is none
  switchtest::Status status = switchtest::Status::kMeasured;
  std::string reason;    ///< reason for the status; empty if there is none
  std::string expected;  ///< expectations as the user wrote them
  std::optional<switchtest::Verdict::Outcome> outcome;
  std::string why;  ///< reasons of the verdicts; empty if all expectations held
};

/// Returns the rows of a test. Figures that have the same name, status, verdict and text (Figure::text) take
/// at most `most` rows; if there are more figures, some share a row. Figures with different statuses or
/// verdicts never share a row. Figures with different texts share a row only if there are more than eight
/// texts. Figures whose expectations did not hold may take up to eight rows.
std::vector<SwitchRow> switch_rows(const SwitchRun& run, const switchtest::TestReport& test,
                                   std::size_t most);

/// Same as switch_rows(), but with fewer rows for each name if the test would otherwise have more than 16
/// rows.
std::vector<SwitchRow> short_rows(const SwitchRun& run, const switchtest::TestReport& test, std::size_t most);

/// The combined verdicts about a figure.
struct FigureVerdict {
  std::string expected, why;  ///< same as in SwitchRow
  std::optional<switchtest::Verdict::Outcome> outcome;
};
/// Returns the verdicts about the figure with this index or, without an index, the verdicts about
/// expectations that match no figure.
std::vector<const switchtest::Verdict*> verdicts_of(const SwitchRun& run, const std::string& test,
                                                    std::optional<std::size_t> figure);
FigureVerdict combined(const SwitchRun& run, const std::vector<const switchtest::Verdict*>& verdicts);

/// Formats a name with labels as "name[key=value,…]"; without labels, just the name.
std::string labelled(const std::string& name, const FigureLabels& labels);
/// Formats labels as "key=value, …"; empty if there are no labels.
std::string label_words(const FigureLabels& labels);
/// Formats the value with its unit, the word, or the status: "7710.4 ns", "≥ 12 frames", "absent".
std::string value_words(const switchtest::Figure& figure);
/// Formats the interval: "1.2 to 1.4", "exact", "at least 12"; empty if no bound is known.
std::string interval_words(const switchtest::Figure& figure);
/// Same as interval_words() above, with as many digits as an interval of `width` justifies.
std::string interval_words(const switchtest::Figure& figure, double width);
/// Formats a number with as many decimals as an interval of this width justifies; six significant digits if
/// the width is 0.
std::string number_words(double value, double interval_width);

std::string_view sign_of(switchtest::Verdict::Outcome outcome);
std::string_view name_of(switchtest::Verdict::Outcome outcome);
std::string_view name_of(switchtest::RigKind rig);
std::string_view name_of(switchtest::Effort effort);
std::string_view name_of(switchtest::Method method);

}  // namespace softfeb::report
