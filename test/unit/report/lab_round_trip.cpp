// SPDX-License-Identifier: BSD-3-Clause
#include "lab_round_trip.hpp"

#include "config/emit.hpp"
#include "config/load.hpp"
#include "report/switch_as_lab.hpp"
#include "run_test.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace softfeb::test {

using switchtest::Figure;
using switchtest::SwitchReport;
using switchtest::TestReport;

namespace {

bool in_interval(double value, const Figure& f) {
  const double error = 1e-9 * std::max(1.0, std::abs(value));
  return value >= f.low.value_or(value) - error && value <= f.high.value_or(value) + error;
}

bool overlap(const Figure& a, const Figure& b) {
  const double error = 1e-9 * std::max(1.0, std::abs(a.value.value_or(0)));
  return a.low.value_or(-1e300) <= b.high.value_or(1e300) + error &&
         b.low.value_or(-1e300) <= a.high.value_or(1e300) + error;
}

bool agree(const Figure& a, const Figure& b, bool strict) {
  const bool unknown =
      a.status == switchtest::Status::kUnresolvable || a.status == switchtest::Status::kInconclusive;
  if (unknown && !strict) return true;  // an unknown figure agrees with any other
  if (a.status != b.status || a.text != b.text) return false;
  if (!a.value || !b.value) return true;
  return strict ? in_interval(*a.value, b) && in_interval(*b.value, a) : overlap(a, b);
}

std::string words(const Figure& f) {
  return fmt::format("{} ({} to {}) {} {}", f.value.value_or(NAN), f.low.value_or(NAN), f.high.value_or(NAN),
                     f.text, f.reason);
}

const Figure* same_figure(const SwitchReport& report, const std::string& test, const Figure& like) {
  for (const TestReport& t : report.tests)
    for (const Figure& f : t.figures)
      if (t.name == test && f.name == like.name && f.labels == like.labels) return &f;
  return nullptr;
}

}  // namespace

WrittenSwitch write_report(const SwitchReport& report) {
  WrittenSwitch out;
  out.run.report = report;
  out.run.device = "dut";
  config::SwitchTestConfig test{.settings = report.settings, .device = "dut"};
  for (const switchtest::RigPort& p : report.ports) test.ports.push_back(p.name);
  out.run.config["switch_test"] = config::emit_switch_test(test);
  out.text = report::switch_as_lab(out.run);
  out.loaded = config::load_switch_test_text(out.text, "written");
  return out;
}

WrittenSwitch write_switch(const fabric::NetworkConfig& network, const switchtest::Settings& settings,
                           const std::string& tests, const std::vector<TestReport>& more) {
  SwitchReport report = run_test(network, settings, tests);
  report.tests.insert(report.tests.end(), more.begin(), more.end());
  return write_report(report);
}

WrittenSwitch write_again(const WrittenSwitch& first, const std::string& tests,
                          const std::vector<TestReport>& more) {
  return write_switch(first.loaded.network, first.loaded.run.switch_test->settings, tests, more);
}

std::vector<std::string> differences(const SwitchReport& a, const SwitchReport& b, bool strict) {
  std::vector<std::string> out;
  for (const TestReport& t : a.tests)
    for (const Figure& f : t.figures) {
      const Figure* const other = same_figure(b, t.name, f);
      if (other == nullptr) {
        out.push_back(t.name + '.' + f.name + " is missing");
      } else if (!agree(f, *other, strict)) {
        out.push_back(fmt::format("{}.{}: {} became {}", t.name, f.name, words(f), words(*other)));
      }
    }
  return out;
}

}  // namespace softfeb::test
