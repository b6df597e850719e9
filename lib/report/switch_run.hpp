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

/// The results of `softfeb switch-test`, as the reports need them.
struct SwitchRun {
  switchtest::SwitchReport report;
  std::vector<switchtest::Expectation> expectations;
  /// Result of switchtest::judge() for `report` and `expectations`
  std::vector<switchtest::Verdict> verdicts;
  nlohmann::ordered_json config;  ///< the configuration that the run used
  /// The tested device and its software, as entered by the user; may be empty.
  std::string device, software;
  std::string date;  ///< date of the run, in words or in ISO 8601; may be empty
  /// If this is true, inconclusive tests and undecided expectations count as failures.
  bool strict = false;
  int exit_status = kDone;
};

struct SwitchTotals {
  std::size_t measured = 0, unresolvable = 0, inconclusive = 0;  ///< numbers of tests
  std::size_t held = 0, failed = 0, undecided = 0;               ///< numbers of expectations
};
SwitchTotals totals_of(const SwitchRun& run);

/// Returns the result of the run as a word: "interrupted"; "failed"; "undecided", if nothing failed but
/// something was inconclusive or undecided; "held"; or "measured", if there were no expectations.
std::string_view overall_word(const SwitchRun& run);

/// Returns one line (without a newline) that says how a test ended, for example "ecn       2.1 s  5 figures".
std::string switch_progress(const switchtest::TestReport& test);

/// Formats a table for a terminal that is `width` columns wide: the figures of each test with interval,
/// expectation and verdict, the reasons why figures are missing, and totals. Figures with the same name share
/// rows if they differ only in labels such as the frame size.
std::string switch_table(const SwitchRun& run, std::size_t width, bool colours);

/// Returns the result document (doc/switch-results.md): one JSON object, which is complete no matter how the
/// run ended.
nlohmann::ordered_json make_switch_result(const SwitchRun& run);
/// Returns the document as text, in which invalid UTF-8 is replaced.
std::string switch_result_text(const SwitchRun& run);

/// Returns the run as JUnit XML, with a suite for each test and a case for each set of labels.
std::string switch_junit(const SwitchRun& run);

/// Returns the page of a run: the data sheet, followed by all tests with tables and charts. The page needs no
/// other file.
std::string switch_page(const SwitchRun& run);
/// Returns the page with only the data sheet, which fits on one sheet of A4 when printed.
std::string switch_data_sheet(const SwitchRun& run);

/// Creates the folder. Throws EnvironmentError if the reports of a run cannot be written to it.
void check_switch_folder(const std::string& folder);
/// Writes index.html, datasheet.html, result.json and junit.xml. Throws EnvironmentError.
void write_switch_report(const SwitchRun& run, const std::string& folder);

}  // namespace softfeb::report
