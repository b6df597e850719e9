// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Returns the seconds since this program was executed, with the kernel's resolution of 10 ms; 0 if the time
/// cannot be read.
double seconds_since_exec();

}  // namespace softfeb::runtime
