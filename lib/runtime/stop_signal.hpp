// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Catches SIGINT and SIGTERM from now on.
void catch_stop_signals();
/// Returns the number of stop signals received. The first requests an orderly end (drain), the second a quick
/// end (flush), and the third kills the process. Signals within 20 ms of a counted one are ignored.
int stop_signals();

}  // namespace softfeb::runtime
