// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

/// The command line of a program as data. tools/manual makes the man pages and the shell completion from it,
/// so that they always agree with --help.
namespace softfeb::describe {

/// The words that an option accepts, if CLI11 does not know them because a library validates them.
struct OptionValues {
  std::string command;  ///< subcommands, such as "lab sweep"; empty: the program itself
  std::string option;   ///< such as "--on"
  std::vector<std::string> values;
};

/// The command line as a JSON document: name, description, footer, options and subcommands. Hidden options
/// are omitted. Throws std::logic_error if `values` names an option that does not exist.
std::string command_line_json(const CLI::App& top, const std::vector<OptionValues>& values);

/// Adds the hidden option --describe-command-line, which prints command_line_json(). `values` is called when
/// the option is used.
void add_describe_option(CLI::App& top, std::vector<OptionValues> (*values)());

}  // namespace softfeb::describe
