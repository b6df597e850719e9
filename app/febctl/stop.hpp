// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace softfeb::febctl {

/// Installs signal handlers. The first SIGINT or SIGTERM ends the current wait and then the command; a second
/// signal ends the program.
void catch_stop_signals();
bool stopped();

/// Sleeps for `time`. Returns false if a stop signal has arrived, before or during the sleep; the sleep then
/// ends early.
bool pause_for(std::chrono::duration<double> time);

}  // namespace softfeb::febctl
