// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string>

namespace softfeb::report {

/// Returns the page of a run: totals, the device, and a table of the cases with links to their pages.
/// `strict` is passed to overall_verdict().
std::string conformance_index(const conformance::SuiteResult& result, const conformance::Catalogue& catalogue,
                              bool strict);
/// Returns the page of a case: the rule, the packet ladder, differences in memory, completions and state.
/// `previous` and `next` are the neighbouring cases; both may be null.
std::string conformance_case_page(const conformance::SuiteResult& result, const conformance::CaseResult& of,
                                  const conformance::CaseResult* previous,
                                  const conformance::CaseResult* next);
/// Returns the packets of a case as a capture (pcapng). Packets that a fault rule dropped have an interface
/// of their own.
std::string conformance_capture(const conformance::CaseResult& result);

/// Returns the packet ladder of a case as HTML with inline SVG: the requester is on the left, the receiver on
/// the right, and time runs downwards, not to scale. A period without packets is drawn as a gap if it is
/// longer than `gap`.
std::string packet_ladder(const conformance::CaseResult& result, Time gap);

/// Returns the style sheet of the pages: the style sheet of tools/report, followed by conformance.css.
std::string_view conformance_style();

}  // namespace softfeb::report
