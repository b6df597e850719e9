// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulator/exchange.hpp"

namespace softfeb::app {

/// A program with the commands of softfeb.
struct Program {
  const char* name = "softfeb";
  simulator::Exchange* exchange = nullptr;  ///< connects it to other processes; null: it is always alone
};

/// Carries out the command line. Returns the exit status.
int run_command_line(int argc, char** argv, const Program& program);

}  // namespace softfeb::app
