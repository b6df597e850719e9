// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Catches SIGINT and SIGTERM from now on.
void catch_stop_signals();
/// How many came: one asks for an orderly end (drain), a second one for a quick end (flush). The third one
/// kills. What comes within 20 ms of one that counted is the same wish.
int stop_signals();

}  // namespace softfeb::runtime
