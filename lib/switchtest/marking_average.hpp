// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_result.hpp"

#include <cstdint>
#include <span>

namespace softfeb::switchtest {

/// For a switch that marks by the average length of the queue: chooses the place and the weight of the
/// average that explain the marks of frozen trains best, and fits the curve. The intervals contain those of
/// all weights that are about as likely. Sets MarkingResult::fit, at, at_is_known and weight; without a fit,
/// no average explains the marks.
void fit_average(std::span<const MarkedTrain> trains, std::uint32_t length, MarkingResult& result);

}  // namespace softfeb::switchtest
