// SPDX-License-Identifier: BSD-3-Clause
#include "describe/command_line_json.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace softfeb::describe {

namespace {

using nlohmann::ordered_json;

/// Returns "--name" and "-n", or the name of a positional argument.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name());
  return names;
}

template <class Options>
ordered_json names_of_all(const Options& options) {
  ordered_json names = ordered_json::array();
  for (const CLI::Option* option : options) names.push_back(names_of(*option).back());
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<std::string>* values_of(const std::vector<OptionValues>& all, const std::string& command,
                                          const std::vector<std::string>& names) {
  for (const OptionValues& v : all) {
    if (v.command == command && std::find(names.begin(), names.end(), v.option) != names.end())
      return &v.values;
  }
  return nullptr;
}

class Description {
 public:
  explicit Description(const std::vector<OptionValues>& values) : values_(values) {}

  ordered_json command(const CLI::App& app, const std::string& path) {
    ordered_json options = ordered_json::array();
    for (const CLI::Option* option : app.get_options()) {
      if (!option->get_group().empty()) options.push_back(this->option(*option, path));
    }
    ordered_json commands = ordered_json::array();
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      commands.push_back(command(*sub, path.empty() ? sub->get_name() : path + ' ' + sub->get_name()));
    return {{"name", app.get_name()},        {"description", app.get_description()},
            {"footer", app.get_footer()},    {"takes_parent_options", app.get_fallthrough()},
            {"options", std::move(options)}, {"commands", std::move(commands)}};
  }

  /// Throws std::logic_error if some values were not used, because they name an option that does not exist.
  void check_values() const {
    if (used_ != values_.size()) throw std::logic_error("values are given for an option that does not exist");
  }

 private:
  ordered_json option(const CLI::Option& o, const std::string& path) {
    const std::vector<std::string> names = names_of(o);
    ordered_json values = ordered_json::array();
    if (const auto* const found = values_of(values_, path, names)) {
      values = *found;
      ++used_;
    }
    return {{"names", names},
            {"positional", o.get_positional()},
            {"description", o.get_description()},
            {"type", o.get_type_name()},
            {"min", o.get_items_expected_min()},
            {"max", o.get_items_expected_max()},
            {"required", o.get_required()},
            {"default", o.get_default_str()},
            {"group", o.get_group()},
            {"needs", names_of_all(o.get_needs())},
            {"excludes", names_of_all(o.get_excludes())},
            {"values", std::move(values)}};
  }

  const std::vector<OptionValues>& values_;
  std::size_t used_ = 0;
};

}  // namespace

std::string command_line_json(const CLI::App& top, const std::vector<OptionValues>& values) {
  Description description(values);
  const ordered_json j = description.command(top, "");
  description.check_values();
  return j.dump(1);
}

void add_describe_option(CLI::App& top, std::vector<OptionValues> (*values)()) {
  // Like --version, this option ends the parsing, and the program then only prints a text.
  top.add_flag_callback(
         "--describe-command-line",
         [&top, values] { throw CLI::CallForVersion(command_line_json(top, values()), 0); },
         "Print the command line as JSON, for tools/manual")
      ->group("");
}

}  // namespace softfeb::describe
