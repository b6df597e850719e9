// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Figures of switch tests as texts, one line each or several in a line.
namespace softfeb::report {

using FigureLabels = std::map<std::string, std::string>;

/// A line of a report: a figure, or figures of one name that differ in their labels only.
struct SwitchRow {
  std::string name;         ///< as in a file of expectations: "load[direction=both,size=78]"
  std::size_t figures = 1;  ///< 0: there is no figure, and the row is about an expectation
  std::string value;        ///< with unit; a range if there are several figures; a word; or the status
  std::string interval;     ///< in words; empty if there is none
  switchtest::Status status = switchtest::Status::kMeasured;
  std::string reason;    ///< of the status; empty if there is none
  std::string expected;  ///< expectations as the user wrote them
  std::optional<switchtest::Verdict::Outcome> outcome;
  std::string why;  ///< reasons of the verdicts; empty if all expectations held
};

/// The rows of a test. `most`: number of rows that figures of one name take at most; more figures share rows.
/// Figures with different statuses, words or verdicts do not share rows. Figures whose verdict is not good,
/// and words, may take eight rows.
std::vector<SwitchRow> switch_rows(const SwitchRun& run, const switchtest::TestReport& test,
                                   std::size_t most);

/// The same, with fewer rows for each name if the test would have more than 16 rows.
std::vector<SwitchRow> short_rows(const SwitchRun& run, const switchtest::TestReport& test, std::size_t most);

/// What a figure's verdicts say together.
struct FigureVerdict {
  std::string expected, why;  ///< as in SwitchRow
  std::optional<switchtest::Verdict::Outcome> outcome;
};
/// Verdicts about the figure with this index; nullopt: about expectations that match no figure.
std::vector<const switchtest::Verdict*> verdicts_of(const SwitchRun& run, const std::string& test,
                                                    std::optional<std::size_t> figure);
FigureVerdict combined(const SwitchRun& run, const std::vector<const switchtest::Verdict*>& verdicts);

/// "name[key=value,…]", or just the name.
std::string labelled(const std::string& name, const FigureLabels& labels);
/// "key=value, …"; empty if there are no labels.
std::string label_words(const FigureLabels& labels);
/// Value and unit, the word, or the status: "7710.4 ns", "≥ 12 frames", "absent".
std::string value_words(const switchtest::Figure& figure);
/// "1.2 to 1.4", "exact", "at least 12"; empty if nothing is known.
std::string interval_words(const switchtest::Figure& figure);
/// The same, with the digits that an interval of `width` deserves.
std::string interval_words(const switchtest::Figure& figure, double width);
/// A number with as many decimals as an interval of this width deserves; 0: six digits.
std::string number_words(double value, double interval_width);

std::string_view sign_of(switchtest::Verdict::Outcome outcome);
std::string_view name_of(switchtest::Verdict::Outcome outcome);
std::string_view name_of(switchtest::RigKind rig);
std::string_view name_of(switchtest::Effort effort);
std::string_view name_of(switchtest::Method method);

}  // namespace softfeb::report
