// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

/// Describes the command line of a program as data. tools/manual generates the man pages and the shell
/// completion from this description, so that both always agree with --help.
namespace softfeb::describe {

/// The words that an option accepts. Used for options whose words CLI11 does not know, because a library
/// validates them.
struct OptionValues {
  /// Subcommands that lead to the option, such as "lab sweep"; empty for options of the program itself.
  std::string command;
  std::string option;  ///< such as "--on"
  std::vector<std::string> values;
};

/// Returns the command line as a JSON document: name, description, footer, options and subcommands. Omits
/// hidden options. Throws std::logic_error if `values` names an option that does not exist.
std::string command_line_json(const CLI::App& top, const std::vector<OptionValues>& values);

/// Adds the hidden option --describe-command-line, which prints command_line_json(). `values` is called only
/// when the option is used.
void add_describe_option(CLI::App& top, std::vector<OptionValues> (*values)());

}  // namespace softfeb::describe
