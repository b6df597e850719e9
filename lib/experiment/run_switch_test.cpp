// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_switch_test.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "config/units.hpp"
#include "dataplane/error.hpp"
#include "report/result.hpp"
#include "report/switch_as_lab.hpp"
#include "report/switch_run.hpp"
#include "report/terminal.hpp"
#include "runtime/real_rig.hpp"
#include "runtime/stop_signal.hpp"
#include "switchtest/expectations.hpp"
#include "switchtest/runner.hpp"
#include "switchtest/tests.hpp"
#include "switchtest/virtual_rig.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace softfeb::experiment {

namespace {

using switchtest::SwitchReport;
using switchtest::TestReport;
using switchtest::Verdict;

int list_tests() {
  for (const switchtest::SwitchTest& test : switchtest::all_tests())
    fmt::print("{:<12}{}+ ports  {}{}\n", test.name, test.ports, test.title,
               test.on_request ? " (only if named in --only)" : "");
  return kDone;
}

void check_names(const std::vector<std::string>& only) {
  for (const std::string& name : only)
    if (switchtest::find_test(name) == nullptr)
      throw dataplane::RequestError("--only: there is no test \"" + name +
                                    "\"; fix: softfeb switch-test --list prints them");
}

std::unique_ptr<switchtest::Rig> make_rig(const config::LabConfig& config, bool quiet) {
  const config::SwitchTestConfig& test = *config.run.switch_test;
  if (test.rig == switchtest::RigKind::kVirtual)
    return std::make_unique<switchtest::VirtualRig>(config.network,
                                                    [] { return runtime::stop_signals() != 0; });
  return std::make_unique<runtime::RealRig>(
      config, runtime::RealRigSettings{.kind = test.rig, .ports = test.ports, .quiet = quiet});
}

bool undecided(const SwitchReport& report, const std::vector<Verdict>& verdicts) {
  return std::any_of(report.tests.begin(), report.tests.end(),
                     [](const TestReport& t) { return t.status == switchtest::Status::kInconclusive; }) ||
         std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& v) { return v.outcome == Verdict::Outcome::kUndecided; });
}

int exit_status(const SwitchReport& report, const std::vector<Verdict>& verdicts, bool strict) {
  const bool failed = std::any_of(verdicts.begin(), verdicts.end(),
                                  [](const Verdict& v) { return v.outcome == Verdict::Outcome::kFailed; });
  return failed || report.interrupted || (strict && undecided(report, verdicts)) ? kCheckFailed : kDone;
}

/// Returns the current time in UTC, to the second.
std::string date_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  const std::string exact = config::format_wall_clock(nanoseconds);
  return exact.substr(0, exact.find('.')) + 'Z';
}

void write_file(const std::string& path, const std::string& text) {
  if (path == "-")
    fmt::print("{}", text);
  else
    report::write_atomically(path, text);
}

void write_results(const report::SwitchRun& run, const SwitchTestOptions& o) {
  if (o.json) write_file(*o.json, report::switch_result_text(run));
  if (o.junit) write_file(*o.junit, report::switch_junit(run));
  if (o.report) report::write_switch_report(run, *o.report);
  if (o.as_lab) write_file(*o.as_lab, report::switch_as_lab(run));
}

report::SwitchRun make_run(const config::LabConfig& config, const SwitchTestOptions& o) {
  report::SwitchRun run;
  if (o.expect) run.expectations = config::load_expectations(*o.expect);
  run.config = config::to_json(config);
  run.device = config.run.switch_test->device;
  run.software = config.run.switch_test->software;
  run.date = date_now();
  run.strict = o.strict;
  return run;
}

}  // namespace

int run_switch_test(const SwitchTestOptions& o) {
  if (o.list) return list_tests();
  check_names(o.only);
  if (o.config.empty())
    throw dataplane::RequestError(
        "-c is missing; fix: softfeb switch-test -c conf/switch-test/v1-plain.yaml");
  const config::LabConfig config = config::load_switch_test(o.config, o.overrides);
  report::SwitchRun run = make_run(config, o);
  if (o.report) report::check_switch_folder(*o.report);
  runtime::catch_stop_signals();
  const auto rig = make_rig(config, o.quiet);
  // The result may go to standard output, so the progress must not.
  const auto show = [&](const TestReport& test) {
    if (!o.quiet) fmt::print(stderr, "{}\n", report::switch_progress(test));
  };
  run.report = switchtest::run_tests(*rig, config.run.switch_test->settings, o.only, show);
  run.verdicts = switchtest::judge(run.report.tests, run.expectations);
  run.exit_status = exit_status(run.report, run.verdicts, o.strict);
  write_results(run, o);
  if (!o.quiet || run.exit_status != kDone) {
    const report::Terminal terminal;
    fmt::print(stderr, "{}", report::switch_table(run, terminal.size().columns, terminal.colours()));
  }
  return run.exit_status;
}

}  // namespace softfeb::experiment
