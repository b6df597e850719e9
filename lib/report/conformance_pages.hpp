// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string>

namespace softfeb::report {

/// The page of a run: totals, device, and a table of the cases that links their pages. `strict`: as for
/// overall_verdict().
std::string conformance_index(const conformance::SuiteResult& result, const conformance::Catalogue& catalogue,
                              bool strict);
/// The page of a case: the rule, the packet ladder, differences of memory, completions and state. `previous`
/// and `next` may be null.
std::string conformance_case_page(const conformance::SuiteResult& result, const conformance::CaseResult& of,
                                  const conformance::CaseResult* previous,
                                  const conformance::CaseResult* next);
/// The packets of a case as a capture (pcapng). Packets that a fault rule dropped are on an interface of
/// their own.
std::string conformance_capture(const conformance::CaseResult& result);

/// The ladder of a case as HTML with inline SVG: requester left, receiver right, time downwards, not to
/// scale. `gap`: longer times without a packet are drawn as a gap.
std::string packet_ladder(const conformance::CaseResult& result, Time gap);

/// The style sheet of the pages: that of tools/report, and conformance.css.
std::string_view conformance_style();

}  // namespace softfeb::report
