// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/marking_result.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// Adds the figures and the chart of the test `ecn`, and stores the marking curve in Context::findings.
/// `length` is the number of bytes of a frame.
void report_marking(Context& ctx, const MarkingCounts& counts, std::uint32_t length,
                    const MarkingResult& result);
/// Adds the figures of a switch that marked no frame, not even after the queue had been filled with `fill`
/// frames.
void report_no_marks(Context& ctx, const MarkingCounts& counts, std::uint32_t length, std::uint64_t fill);

}  // namespace softfeb::switchtest
