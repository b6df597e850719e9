// SPDX-License-Identifier: BSD-3-Clause
#include "option_values.hpp"

#include "board/profile.hpp"
#include "config/choices.hpp"
#include "config/congestion.hpp"
#include "config/load.hpp"
#include "conformance/case.hpp"
#include "conformance/catalogue.hpp"
#include "report/conformance_profiles.hpp"
#include "switchtest/tests.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace softfeb::app {

namespace {

std::vector<std::string> firmware_profiles() {
  std::vector<std::string> names;
  for (const board::Profile& profile : board::profiles()) names.push_back(profile.name());
  return names;
}

std::vector<std::string> compared_algorithms() {
  std::vector<std::string> names = config::algorithm_values();
  names.insert(names.begin(), "dcqcn");
  return names;
}

std::vector<std::string> case_levels() {
  using conformance::Level;
  std::vector<std::string> names;
  for (const Level level : {Level::kShall, Level::kShould, Level::kMay, Level::kMeasure, Level::kRobustness})
    names.emplace_back(conformance::name_of(level));
  return names;
}

/// Returns the names of all cases of softfeb conformance; with `with_groups`, also those of their groups.
std::vector<std::string> case_names(bool with_groups) {
  std::vector<std::string> names;
  const conformance::Catalogue catalogue;
  for (const conformance::CaseGroup& group : catalogue.groups()) {
    if (with_groups) names.emplace_back(group.name);
    for (const conformance::Case& c : group.cases) names.emplace_back(c.id);
  }
  return names;
}

std::vector<std::string> switch_tests() {
  std::vector<std::string> names;
  for (const switchtest::SwitchTest& test : switchtest::all_tests()) names.emplace_back(test.name);
  return names;
}

}  // namespace

std::vector<describe::OptionValues> option_values() {
  const std::vector<std::string> web = {"off", "on"};
  return {{"run", "--web", web},
          {"lab", "--web", web},
          {"lab sweep", "--task", {"auto"}},
          {"lab sweep", "--on", {"slurm", "parallel"}},
          {"lab compare", "--algorithms", compared_algorithms()},
          {"conformance", "--target", {"own:", "own:virtual", "listed", "sink://", "perftest://"}},
          {"conformance", "--profile", report::installed_profiles()},
          {"conformance", "--cases", case_names(true)},
          {"conformance", "--explain", case_names(false)},
          {"conformance", "--level", case_levels()},
          {"switch-test", "--only", switch_tests()},
          {"switch-test", "--profile", config::choices::kEffort.words()},
          {"regs", "--profile", firmware_profiles()}};
}

void add_describe_configuration(CLI::App& top) {
  top.add_option_function<std::string>(
         "--describe-configuration",
         [](const std::string& file) {
           std::ifstream in(file);
           const std::string text{std::istreambuf_iterator<char>(in), {}};
           const nlohmann::ordered_json words = config::words_of_keys(text, file);
           throw CLI::CallForVersion(words.dump(1), 0);
         },
         "Print the keys of a configuration, with the words that they accept, as JSON, for tools/manual")
      ->check(CLI::ExistingFile)
      ->group("");
}

}  // namespace softfeb::app
