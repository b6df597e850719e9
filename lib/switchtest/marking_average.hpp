// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_result.hpp"

#include <cstdint>
#include <span>

namespace softfeb::switchtest {

/// Evaluates a switch that marks by the average length of the queue. Finds the place (enqueue or dequeue) and
/// the weight of the average that best explain the marks of the frozen trains in `trains`, and fits the
/// curve. `length` is the number of bytes of a frame. The intervals cover all weights that are about equally
/// likely. Sets MarkingResult::fit, at, at_is_known and weight. If `fit` is empty, no average explains the
/// marks.
void fit_average(std::span<const MarkedTrain> trains, std::uint32_t length, MarkingResult& result);

}  // namespace softfeb::switchtest
