// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace softfeb::febctl {

/// SIGINT and SIGTERM end a wait and then the command in good order; the second one ends the program.
void catch_stop_signals();
bool stopped();

/// Sleeps, at most so long; false when a signal ended it.
bool pause_for(std::chrono::duration<double> time);

}  // namespace softfeb::febctl
