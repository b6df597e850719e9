// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/result.hpp"

#include <string>

/// Parts that the pages of a conformance run have in common.
namespace softfeb::report {

/// A whole page. `title` is a text; `header` and `main` are HTML.
std::string html_document(const std::string& title, const std::string& header, const std::string& main);
/// A verdict as a framed text with its sign; `small` for tables.
std::string verdict_badge(conformance::Verdict verdict, bool small);

}  // namespace softfeb::report
