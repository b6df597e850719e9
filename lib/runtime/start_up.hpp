// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Seconds since this program was executed. The kernel's resolution is 10 ms; 0 if it cannot be read.
double seconds_since_exec();

}  // namespace softfeb::runtime
