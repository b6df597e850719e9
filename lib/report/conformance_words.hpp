// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/result.hpp"

#include <string>
#include <string_view>

namespace softfeb::report {

/// A sign for a verdict that is readable without colour: "✓", "✗" and so on (UTF-8).
std::string_view sign_of(conformance::Verdict verdict);
/// A packet in words: "WRITE ONLY e+1, 64 B, AckReq" or "ACK e+1, MSN 2".
std::string packet_words(const conformance::TracePacket& packet);
/// What a result says about a packet, for people: the step, and the comment or what the expectation made of
/// it: "step 2: O(e,64)!", "step 2: expected", "step 2: unexpected: NAK 0x60 PSN e+1".
std::string packet_comment(const conformance::TracePacket& packet);
/// What a target did wrong in a case, in one line: answers that were not expected, those that did not come,
/// and wrong bytes in memory. Empty if there are none.
std::string observed_words(const conformance::CaseResult& result);
/// A time with a unit: "950 ns", "2.5 µs", "15 ms".
std::string time_words(Time time);
std::string_view state_words(conformance::TargetState state);
/// "0.0123 s"; a figure without a unit is a plain number.
std::string figure_words(const conformance::Figure& figure);

/// The verdict of the run: "no baseline", "fail", "inconclusive", "pass". It is "fail" if a case failed or
/// did not run; with `strict`, also if a deviation of the profile was not seen.
std::string_view overall_verdict(const conformance::SuiteResult& result, bool strict);

}  // namespace softfeb::report
