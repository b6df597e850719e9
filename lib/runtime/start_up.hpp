// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::runtime {

/// Seconds since this program was executed, to the kernel's 10 ms.
double seconds_since_exec();

}  // namespace softfeb::runtime
