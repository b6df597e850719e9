// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_words.hpp"

#include "conformance/answer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace softfeb::report {

using conformance::CaseResult;
using conformance::TargetState;
using conformance::TracePacket;
using conformance::Verdict;

namespace {

/// Describes the first wrong bytes in memory.
std::string memory_words(const std::vector<conformance::MemoryDifference>& all) {
  constexpr std::size_t kShown = 8;
  const auto hex = [&](const std::vector<std::uint8_t>& bytes) {
    const std::size_t n = std::min<std::size_t>(bytes.size(), kShown);
    return fmt::format("{:02x}{}",
                       fmt::join(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n), " "),
                       n < bytes.size() ? " …" : "");
  };
  const conformance::MemoryDifference& m = all.front();
  return fmt::format("region {}, offset {:#x}: {} instead of {}{}", m.region, m.offset, hex(m.found),
                     hex(m.expected),
                     all.size() == 1 ? "" : fmt::format(", and {} more ranges", all.size() - 1));
}

}  // namespace

std::string_view sign_of(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kSigns = {"✓", "✗", "≈", "?", "–", "#", "·"};
  return kSigns[static_cast<std::size_t>(verdict)];
}

std::string packet_words(const TracePacket& packet) {
  std::string out = conformance::describe_opcode(packet.opcode, packet.aeth);
  if (packet.opcode != roce::kOpcodeCnp) out += " " + conformance::describe_psn(packet.psn, packet.first_psn);
  if (packet.aeth) out += fmt::format(", MSN {}", packet.aeth->msn);
  if (packet.aeth && packet.aeth->kind() == roce::AethKind::kRnrNak)
    out += fmt::format(", timer {}", packet.aeth->value());
  if (!packet.from_target() || packet.length != 0) out += fmt::format(", {} B", packet.length);
  if (packet.ack_req) out += ", AckReq";
  return out;
}

std::string packet_comment(const TracePacket& packet) {
  std::string out = packet.step == 0 ? "" : fmt::format("step {}: ", packet.step);
  switch (packet.judgement) {
    case TracePacket::Judgement::kSent:
      return out + (packet.comment.empty() ? packet_words(packet) : packet.comment);
    case TracePacket::Judgement::kNotSent:
      return out + "not sent" + (packet.comment.empty() ? "" : ": " + packet.comment);
    case TracePacket::Judgement::kExpected:
      return out + "expected" + (packet.comment.empty() ? "" : ": " + packet.comment);
    case TracePacket::Judgement::kTolerated:
      return out + "tolerated" + (packet.comment.empty() ? "" : ": " + packet.comment);
    case TracePacket::Judgement::kUnexpected:
    case TracePacket::Judgement::kForeign:
      break;
  }
  return out + packet.comment;
}

std::string observed_words(const CaseResult& result) {
  constexpr std::size_t kShown = 4;
  std::string out;
  const auto add = [&](const std::string& words) { out += (out.empty() ? "" : "; ") + words; };
  std::size_t count = 0;
  for (const TracePacket& p : result.trace) {
    if (p.judgement == TracePacket::Judgement::kUnexpected && ++count <= kShown) add(packet_words(p));
  }
  if (count > kShown) add(fmt::format("and {} more", count - kShown));
  for (const auto& m : result.missing) add("no " + m.what);
  if (!result.memory.empty()) add(memory_words(result.memory));
  return out;
}

std::string time_words(Time time) {
  if (time < kMicrosecond) return fmt::format("{:.4g} ns", static_cast<double>(time) / kNanosecond);
  if (time < kMillisecond) return fmt::format("{:.4g} µs", static_cast<double>(time) / kMicrosecond);
  if (time < kSecond) return fmt::format("{:.4g} ms", static_cast<double>(time) / kMillisecond);
  return fmt::format("{:.4g} s", to_seconds(time));
}

std::string_view state_words(TargetState state) {
  constexpr std::array<std::string_view, 4> kStates = {"INIT", "RTR", "RTS", "ERR"};
  return kStates[static_cast<std::size_t>(state)];
}

std::string figure_words(const conformance::Figure& figure) {
  if (!figure.text.empty()) return figure.text;
  return fmt::format("{:.6g}{}{}", figure.value, figure.unit.empty() ? "" : " ", figure.unit);
}

std::string_view overall_verdict(const conformance::SuiteResult& result, bool strict) {
  if (result.no_baseline) return "no baseline";
  const conformance::Totals t = totals_of(result);
  if (t.fail != 0 || t.not_run != 0 || (strict && !result.not_seen.empty())) return "fail";
  return t.inconclusive != 0 ? "inconclusive" : "pass";
}

}  // namespace softfeb::report
