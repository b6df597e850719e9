// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

#include <functional>
#include <string>
#include <variant>

namespace softfeb::febctl {

/// The parsed command line.
struct Options {
  BoardAddress board;
  std::string profile;  ///< name of the firmware profile; empty means the default profile
  bool json = false;
  std::function<void(Context&)> command;
};

/// Parses the command line. If there is no command to run (--help, bad usage), returns the exit status
/// instead of options.
std::variant<Options, int> parse_command_line(int argc, char** argv);

}  // namespace softfeb::febctl
