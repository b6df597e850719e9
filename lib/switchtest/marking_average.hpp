// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_result.hpp"

#include <cstdint>
#include <span>

namespace softfeb::switchtest {

/// For a switch that marks by the average length of the queue: finds the place (enqueue or dequeue) and the
/// weight of the average that explain the marks of frozen trains best, and fits the curve. The intervals
/// cover all weights that are about equally likely. Sets MarkingResult::fit, at, at_is_known and weight. If
/// `fit` is empty, no average explains the marks.
void fit_average(std::span<const MarkedTrain> trains, std::uint32_t length, MarkingResult& result);

}  // namespace softfeb::switchtest
