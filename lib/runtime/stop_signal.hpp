// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Catches SIGINT and SIGTERM from now on.
void catch_stop_signals();
/// Number of stop signals received: one requests an orderly end (drain), a second one a quick end (flush),
/// and the third one kills. Signals within 20 ms of a counted one are not counted.
int stop_signals();

}  // namespace softfeb::runtime
