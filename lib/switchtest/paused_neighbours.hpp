// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// Pauses the class of `dscp` at port D while another class drains, for each other PFC class, and adds the
/// figure other_classes_disturbed: the classes that fell silent, too.
void report_neighbours(Context& ctx, std::uint8_t dscp);

}  // namespace softfeb::switchtest
