// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/result.hpp"

#include <string>
#include <string_view>

namespace softfeb::report {

/// Returns a sign for a verdict, such as "✓" or "✗" (UTF-8). The signs can be told apart without colour.
std::string_view sign_of(conformance::Verdict verdict);
/// Describes a packet, for example "WRITE ONLY e+1, 64 B, AckReq" or "ACK e+1, MSN 2".
std::string packet_words(const conformance::TracePacket& packet);
/// Describes the role of a packet in a case: the number of the step, whether an answer was expected, and the
/// comment of the packet. Examples: "step 2: O(e,64)!", "step 2: expected", "step 2: unexpected: NAK 0x60
/// PSN e+1".
std::string packet_comment(const conformance::TracePacket& packet);
/// Describes in one line what a target did wrong in a case: unexpected answers, missing answers, and wrong
/// bytes in memory. Empty if the target did nothing wrong.
std::string observed_words(const conformance::CaseResult& result);
/// Formats a time with a unit, for example "950 ns", "2.5 µs" or "15 ms".
std::string time_words(Time time);
std::string_view state_words(conformance::TargetState state);
/// Formats a figure with its unit, for example "0.0123 s". A figure without a unit is a plain number.
std::string figure_words(const conformance::Figure& figure);

/// Returns the verdict of the whole run: "no baseline", "fail", "inconclusive" or "pass". The verdict is
/// "fail" if a case failed or did not run. If `strict` is true, it is also "fail" if an expected deviation of
/// the profile was not observed.
std::string_view overall_verdict(const conformance::SuiteResult& result, bool strict);

}  // namespace softfeb::report
