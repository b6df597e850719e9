// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <initializer_list>

namespace softfeb::runtime {

/// Catches the signals `numbers` from now on and counts them (stop_signals()).
void catch_stop_signals(std::initializer_list<int> numbers = {SIGINT, SIGTERM});
/// Returns the number of stop signals counted. The first requests an orderly end (drain), and the second a
/// quick end (flush). After the second, another signal of the same kind kills the process. A signal within 20
/// ms after the first is not counted.
int stop_signals();

}  // namespace softfeb::runtime
