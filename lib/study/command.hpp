// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace softfeb::study {

using Arguments = std::vector<std::string>;

/// What became of a program.
struct CommandResult {
  int status = 0;      ///< exit status; 128 + N after signal N
  std::string output;  ///< what it wrote to standard output, if that was captured
};

/// Runs a program from PATH and waits for it. `input` is its standard input. With `capture`, its standard
/// output is returned; otherwise it goes to ours. Its standard error goes to ours. Throws EnvironmentError
/// with the fix "install PACKAGE" if there is no such program.
CommandResult run_command(const Arguments& command, const std::string& input, bool capture,
                          const std::string& package);

/// Quotes text for a POSIX shell, if it needs that.
std::string shell_quoted(const std::string& text);
std::string shell_quoted(const Arguments& command);

/// Splits text at blanks.
Arguments words_of(const std::string& text);

}  // namespace softfeb::study
