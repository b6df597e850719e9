// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/result.hpp"

#include <string>

/// HTML elements that all pages of a conformance run share.
namespace softfeb::report {

/// Returns a complete HTML page. `title` is plain text; `header` and `main` are HTML.
std::string html_document(const std::string& title, const std::string& header, const std::string& main);
/// Formats a verdict as a framed text with its sign. `small` selects the form for tables.
std::string verdict_badge(conformance::Verdict verdict, bool small);

}  // namespace softfeb::report
