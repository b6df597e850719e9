// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hosts/host_exchange.hpp"
#include "simulator/exchange.hpp"

namespace softfeb::app {

/// A program with the commands of softfeb.
struct Program {
  const char* name = "softfeb";
  simulator::Exchange* exchange = nullptr;  ///< connects it to other processes; null: it is always alone
  hosts::HostExchange* hosts = nullptr;  ///< connects the same processes in real time; null like `exchange`
};

/// Carries out the command line. Returns the exit status.
int run_command_line(int argc, char** argv, const Program& program);

}  // namespace softfeb::app
