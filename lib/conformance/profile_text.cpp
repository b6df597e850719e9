// SPDX-License-Identifier: BSD-3-Clause
// Writes profiles.
#include "conformance/answer.hpp"
#include "conformance/profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <yaml-cpp/yaml.h>

namespace softfeb::conformance {

namespace {

/// Formats a time with the largest unit that gives a whole number: 250ms, not 250000us. Times in profiles are
/// whole microseconds.
std::string time_text(Time time) {
  if (time % kSecond == 0) return std::to_string(time / kSecond) + "s";
  if (time % kMillisecond == 0) return std::to_string(time / kMillisecond) + "ms";
  return std::to_string(time / kMicrosecond) + "us";
}

std::string shortest(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void put_strings(YAML::Emitter& out, const char* key, const auto& list) {
  if (list.empty()) return;
  out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
  for (const std::string& one : list) out << one;
  out << YAML::EndSeq;
}

/// Formats an answer in the notation of expectations; empty if the notation cannot express it.
std::string notation_of(const TracePacket& p) {
  constexpr std::array<std::pair<std::uint8_t, const char*>, 5> kOthers = {{{0x0d, "READ_FIRST"},
                                                                            {0x0e, "READ_MIDDLE"},
                                                                            {0x0f, "READ_LAST"},
                                                                            {0x10, "READ_ONLY"},
                                                                            {0x12, "ATOMIC_ACK"}}};
  if (p.opcode == 0x81) return "CNP";
  std::string psn = describe_psn(p.psn, p.first_psn);
  const std::string msn = p.aeth ? " msn " + std::to_string(p.aeth->msn) : "";
  for (const auto& [opcode, name] : kOthers) {
    if (p.opcode == opcode) return std::string(name) + " " + psn + msn;
  }
  if (p.opcode != 0x11 || !p.aeth) return {};
  switch (p.aeth->kind()) {
    case roce::AethKind::kAck:
      return "ACK " + psn + msn;
    case roce::AethKind::kRnrNak:
      return "RNR " + psn + msn + " code " + std::to_string(p.aeth->value());
    case roce::AethKind::kReserved:
      return {};
    default:
      return "NAK6" + std::to_string(p.aeth->syndrome & 0xfU) + " " + psn + msn;
  }
}

/// Identifies a queue pair: the number of the part, and the number of the queue pair in this part.
using Place = std::pair<std::uint32_t, std::uint32_t>;

/// Returns the queue pairs whose answers differ from what the case expects. If only the memory, completions
/// or the state differ, returns all queue pairs with packets or answers.
std::set<Place> places_that_differ(const CaseResult& result) {
  std::set<Place> out;
  for (const TracePacket& p : result.trace) {
    if (p.judgement == TracePacket::Judgement::kUnexpected) out.insert({p.part, p.qp});
  }
  for (const MissingAnswer& m : result.missing) {
    const bool known = m.part != 0 && m.part <= result.of->parts.size() && m.step != 0 &&
                       m.step <= result.of->parts[m.part - 1].steps.size();
    if (known) out.insert({m.part, result.of->parts[m.part - 1].steps[m.step - 1].qp});
  }
  if (!out.empty()) return out;
  for (const TracePacket& p : result.trace) {
    if (p.judgement != TracePacket::Judgement::kForeign) out.insert({p.part, p.qp});
  }
  return out;
}

std::optional<std::string> answers_at(const CaseResult& result, const Place& place) {
  std::string out;
  for (const TracePacket& p : result.trace) {
    const bool counts = p.from_target() && p.judgement != TracePacket::Judgement::kForeign &&
                        p.judgement != TracePacket::Judgement::kTolerated && p.part == place.first &&
                        p.qp == place.second;
    if (!counts) continue;
    const std::string one = notation_of(p);
    if (one.empty()) return std::nullopt;
    out += (out.empty() ? "" : "; ") + one;
  }
  return out.empty() ? "silence" : out;
}

/// Returns the target's answers as an expectation, if they are the same for all queue pairs that differ.
std::optional<std::string> observed(const CaseResult& result) {
  std::optional<std::string> out;
  for (const Place& place : places_that_differ(result)) {
    const auto here = answers_at(result, place);
    if (!here || (out && *here != *out)) return std::nullopt;
    out = here;
  }
  constexpr std::size_t kLongest = 400;  // a longer list of answers is probably not a single deviation
  return out && out->size() <= kLongest ? out : std::nullopt;
}

}  // namespace

std::string to_yaml(const Profile& profile) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << profile.name;
  if (!profile.device.empty()) out << YAML::Key << "device" << YAML::Value << profile.device;
  put_strings(out, "sources", profile.sources);
  if (profile.t_ack || profile.silence) {
    out << YAML::Key << "timing" << YAML::Value << YAML::Flow << YAML::BeginMap;
    if (profile.t_ack) out << YAML::Key << "t_ack" << YAML::Value << time_text(*profile.t_ack);
    if (profile.silence) out << YAML::Key << "silence" << YAML::Value << time_text(*profile.silence);
    out << YAML::EndMap;
  }
  put_strings(out, "lacks", profile.lacks);
  if (profile.bounds_before_length) {
    out << YAML::Key << "orders" << YAML::Value << YAML::Flow << YAML::BeginMap << YAML::Key
        << "bounds_before_length" << YAML::Value << *profile.bounds_before_length << YAML::EndMap;
  }
  if (profile.cnps_with_naks) out << YAML::Key << "cnps_with_naks" << YAML::Value << *profile.cnps_with_naks;
  if (!profile.limits.empty()) {
    out << YAML::Key << "limits" << YAML::Value << YAML::BeginMap;
    for (const auto& [name, limit] : profile.limits)
      out << YAML::Key << name << YAML::Value << shortest(limit);
    out << YAML::EndMap;
  }
  if (!profile.deviations.empty()) {
    out << YAML::Key << "deviations" << YAML::Value << YAML::BeginMap;
    for (const auto& [id, deviation] : profile.deviations)
      out << YAML::Key << id << YAML::Value << YAML::Load(deviation.text);
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

std::string draft_profile(const SuiteResult& result, const std::string& base) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << "draft";
  out << YAML::Key << "base" << YAML::Value << base;
  const TargetDevice& d = result.device;
  out << YAML::Key << "device" << YAML::Value
      << d.name + (d.driver.empty() ? "" : ", driver " + d.driver) +
             (d.firmware.empty() ? "" : ", firmware " + d.firmware);
  out << YAML::Key << "deviations" << YAML::Value << YAML::BeginMap;
  for (const CaseResult& r : result.cases) {
    if (r.verdict != Verdict::kFail) continue;
    out << YAML::Key << r.of->id << YAML::Value << YAML::BeginMap;
    if (const auto answers = observed(r)) out << YAML::Key << "observe" << YAML::Value << *answers;
    out << YAML::Key << "why" << YAML::Value << "TODO: " + r.reason;
    out << YAML::Key << "source" << YAML::Value << "measured" << YAML::EndMap;
  }
  out << YAML::EndMap << YAML::EndMap;
  return "# A draft of a profile: the failures of a run. Say in each `why` why the target deviates, or "
         "remove the\n"
         "# deviation if it is a defect that is to be corrected. The loader refuses TODO.\n" +
         std::string(out.c_str()) + "\n";
}

}  // namespace softfeb::conformance
