// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// For each other PFC class, pauses the class of `dscp` at port D while this other class drains. Adds the
/// figure other_classes_disturbed, which lists the classes that the pause stopped, too.
void report_neighbours(Context& ctx, std::uint8_t dscp);

}  // namespace softfeb::switchtest
