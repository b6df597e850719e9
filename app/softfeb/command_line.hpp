// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hosts/host_exchange.hpp"
#include "simulator/exchange.hpp"

namespace softfeb::app {

/// A program with the commands of softfeb.
struct Program {
  const char* name = "softfeb";
  /// Connects this process to other processes; null if the program always runs as a single process.
  simulator::Exchange* exchange = nullptr;
  /// Connects the same processes in experiments in real time; null if `exchange` is null.
  hosts::HostExchange* hosts = nullptr;
};

/// Carries out the command line. Returns the exit status.
int run_command_line(int argc, char** argv, const Program& program);

}  // namespace softfeb::app
