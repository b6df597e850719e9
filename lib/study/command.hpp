// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace softfeb::study {

using Arguments = std::vector<std::string>;

/// The outcome of running a program.
struct CommandResult {
  int status = 0;      ///< exit status; 128 + N after signal N
  std::string output;  ///< standard output if it was captured; otherwise empty
};

/// Runs a program that is found in PATH, and waits for it. `input` is its standard input. With `capture`, its
/// standard output is returned; otherwise it goes to the standard output of this process. The program's
/// standard error goes to the standard error of this process. If the program does not exist, throws
/// EnvironmentError with the fix "install PACKAGE".
CommandResult run_command(const Arguments& command, const std::string& input, bool capture,
                          const std::string& package);

/// Quotes text for a POSIX shell if necessary.
std::string shell_quoted(const std::string& text);
std::string shell_quoted(const Arguments& command);

/// Splits text at blanks.
Arguments words_of(const std::string& text);

}  // namespace softfeb::study
