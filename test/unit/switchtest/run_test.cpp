// SPDX-License-Identifier: BSD-3-Clause
#include "run_test.hpp"

#include "switchtest/virtual_rig.hpp"

#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

namespace softfeb::test {

using namespace switchtest;

SwitchReport run_test(const fabric::NetworkConfig& network, const Settings& settings,
                      const std::string& tests) {
  VirtualRig rig(network);
  std::vector<std::string> only;
  std::istringstream list(tests);
  for (std::string name; std::getline(list, name, ',');) only.push_back(name);
  return run_tests(rig, settings, only);
}

const TestReport& test_report(const SwitchReport& report, const std::string& test) {
  const auto it = std::find_if(report.tests.begin(), report.tests.end(),
                               [&](const TestReport& t) { return t.name == test; });
  INFO("test " << test);
  REQUIRE(it != report.tests.end());
  return *it;
}

Figure figure(const SwitchReport& report, const std::string& test, const std::string& name,
              const Labels& labels) {
  const TestReport& in = test_report(report, test);
  const auto it = std::find_if(in.figures.begin(), in.figures.end(),
                               [&](const Figure& f) { return f.name == name && f.labels == labels; });
  std::string all;
  for (const Figure& f : in.figures) all += " " + f.name;
  INFO("figure " << name << " of test " << test << ", which has" << all << "; " << in.reason);
  REQUIRE(it != in.figures.end());
  return *it;
}

bool has_figure(const SwitchReport& report, const std::string& test, const std::string& name) {
  const TestReport& in = test_report(report, test);
  return std::any_of(in.figures.begin(), in.figures.end(), [&](const Figure& f) { return f.name == name; });
}

}  // namespace softfeb::test
