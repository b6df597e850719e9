// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"

#include <string>
#include <vector>

namespace softfeb::report {

/// Charts of curves as HTML with inline SVG: curves of one name are in one chart, unless they are many or
/// have different units. Points have bars for their intervals. A curve whose label is or ends in "fit" is a
/// line. Curves of more than 400 points are thinned out; their extremes stay. Colours are those of
/// switch.css; every curve also has a shape or a dash pattern of its own.
std::string switch_charts(const std::vector<switchtest::Curve>& curves);

}  // namespace softfeb::report
