// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Catches SIGINT and SIGTERM from now on.
void catch_stop_signals();
/// Returns the number of stop signals counted. The first requests an orderly end (drain), and the second a
/// quick end (flush). After the second, another signal of the same kind kills the process. A signal within 20
/// ms after the first is not counted.
int stop_signals();

}  // namespace softfeb::runtime
