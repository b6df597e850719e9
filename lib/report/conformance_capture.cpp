// SPDX-License-Identifier: BSD-3-Clause
// Writes the packets of a case as a capture.
#include "report/conformance_pages.hpp"
#include "report/conformance_words.hpp"
#include "report/pcapng.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

using conformance::CaseResult;
using conformance::TracePacket;

bool has_capture(const CaseResult& result) {
  return std::any_of(result.trace.begin(), result.trace.end(),
                     [](const TracePacket& p) { return !p.frame.empty(); });
}

std::string conformance_capture(const CaseResult& result) {
  const conformance::Case& c = *result.of;
  PcapngWriter out(fmt::format("{} {}: {}{}{}", c.id, c.title, conformance::name_of(result.verdict),
                               result.reason.empty() ? "" : ": ", result.reason),
                   "softfeb " SOFTFEB_VERSION);
  const std::uint32_t requester = out.add_interface("requester", "sent by the board");
  const std::uint32_t receiver = out.add_interface("receiver", "sent by the target");
  const std::uint32_t not_sent = out.add_interface("not sent", "dropped by a fault rule");
  for (const TracePacket& p : result.trace) {
    if (p.frame.empty()) continue;
    const bool dropped = p.judgement == TracePacket::Judgement::kNotSent;
    const auto direction = p.from_target() ? PcapngWriter::Direction::kInbound
                           : dropped       ? PcapngWriter::Direction::kUnknown
                                           : PcapngWriter::Direction::kOutbound;
    out.add_packet(p.from_target() ? receiver
                   : dropped       ? not_sent
                                   : requester,
                   p.at, p.frame, direction, packet_comment(p));
  }
  return out.bytes();
}

}  // namespace softfeb::report
