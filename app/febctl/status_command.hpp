// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

namespace softfeb::febctl {

/// One page about a board: what it is, its links, its queue pair's congestion control, its counters.
void status_command(Context& context);

}  // namespace softfeb::febctl
