// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_switch_test.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "dataplane/error.hpp"
#include "runtime/stop_signal.hpp"
#include "switchtest/expectations.hpp"
#include "switchtest/runner.hpp"
#include "switchtest/tests.hpp"
#include "switchtest/virtual_rig.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

using switchtest::Expectation;
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

std::unique_ptr<switchtest::Rig> make_rig(const config::LabConfig& config) {
  return std::make_unique<switchtest::VirtualRig>(config.network,
                                                  [] { return runtime::stop_signals() != 0; });
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

}  // namespace

int run_switch_test(const SwitchTestOptions& o) {
  if (o.list) return list_tests();
  check_names(o.only);
  const config::LabConfig config = config::load_switch_test(o.config, o.overrides);
  const std::vector<Expectation> expectations =
      o.expect ? config::load_expectations(*o.expect) : std::vector<Expectation>{};
  runtime::catch_stop_signals();
  const auto rig = make_rig(config);
  const auto show = [&](const TestReport& test) {
    if (!o.quiet) fmt::print(stderr, "{}: {} {}\n", test.name, switchtest::name(test.status), test.reason);
    for (const auto& f : test.figures) {
      std::string labels;
      for (const auto& [k, v] : f.labels) labels += " " + k + "=" + v;
      fmt::print(stderr, "   {}{} = {} [{}, {}] {} {} {} {}\n", f.name, labels, f.value.value_or(-1),
                 f.low.value_or(-1), f.high.value_or(-1), f.unit, f.text, switchtest::name(f.status),
                 f.reason);
    }
  };
  const SwitchReport report = switchtest::run_tests(*rig, config.run.switch_test->settings, o.only, show);
  const std::vector<Verdict> verdicts = switchtest::judge(report.tests, expectations);
  return exit_status(report, verdicts, o.strict);
}

}  // namespace softfeb::experiment
