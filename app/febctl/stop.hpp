// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace softfeb::febctl {

/// SIGINT and SIGTERM end a wait and then the command; a second signal ends the program.
void catch_stop_signals();
bool stopped();

/// Sleeps for at most `time`; returns false if a signal ended it.
bool pause_for(std::chrono::duration<double> time);

}  // namespace softfeb::febctl
