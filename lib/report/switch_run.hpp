// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/exit_code.hpp"
#include "switchtest/expectations.hpp"
#include "switchtest/runner.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// A run of `softfeb switch-test`, as its reports show it.
struct SwitchRun {
  switchtest::SwitchReport report;
  std::vector<switchtest::Expectation> expectations;
  std::vector<switchtest::Verdict> verdicts;  ///< switchtest::judge() of both
  nlohmann::ordered_json config;              ///< the configuration, as emitted
  std::string device, software;               ///< of the switch, as the user entered them; may be empty
  std::string date;                           ///< of the run, in words or as in ISO 8601; may be empty
  bool strict = false;                        ///< inconclusive tests and undecided expectations are failures
  int exit_status = kDone;
};

struct SwitchTotals {
  std::size_t measured = 0, unresolvable = 0, inconclusive = 0;  ///< tests
  std::size_t held = 0, failed = 0, undecided = 0;               ///< verdicts about expectations
};
SwitchTotals totals_of(const SwitchRun& run);

/// The result of the run in a word: "interrupted", "failed", "undecided" (nothing failed, but something was
/// inconclusive or undecided), "held", or "measured" if there were no expectations.
std::string_view overall_word(const SwitchRun& run);

/// Says how a test ended, in a line without a newline: "ecn           2.1 s  5 figures".
std::string switch_progress(const switchtest::TestReport& test);

/// Table for a terminal that is `width` columns wide: the figures of each test with interval, expectation and
/// verdict, why figures are missing, and totals. Figures of one name that differ in labels such as the frame
/// size share lines.
std::string switch_table(const SwitchRun& run, std::size_t width, bool colours);

/// The result document (doc/switch-results.md): one JSON object, complete however the run ended.
nlohmann::ordered_json make_switch_result(const SwitchRun& run);
/// The document as text. Texts that are not UTF-8 are replaced.
std::string switch_result_text(const SwitchRun& run);

/// The run as JUnit XML: a suite for each test, a case for each set of labels.
std::string switch_junit(const SwitchRun& run);

/// The page of a run: the data sheet, and all tests with tables and charts. Needs no other file.
std::string switch_page(const SwitchRun& run);
/// The data sheet alone, which prints as one page of A4.
std::string switch_data_sheet(const SwitchRun& run);

/// Creates the folder, and throws EnvironmentError if the reports of a run cannot be written to it.
void check_switch_folder(const std::string& folder);
/// Writes index.html, datasheet.html, result.json and junit.xml. Throws EnvironmentError.
void write_switch_report(const SwitchRun& run, const std::string& folder);

}  // namespace softfeb::report
