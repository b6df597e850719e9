// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"

#include <string>
#include <vector>

namespace softfeb::report {

/// Draws curves as HTML with inline SVG. Curves with the same name share a chart, unless there are too many
/// or their units differ. Points have bars for their intervals. A curve whose label ends in "fit" is drawn as
/// a line. Curves with more than 400 points are thinned out, but keep their extremes. The colours are those
/// of switch.css; curves also differ in shapes or dash patterns.
std::string switch_charts(const std::vector<switchtest::Curve>& curves);

}  // namespace softfeb::report
