// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_result.hpp"

#include "report/conformance_files.hpp"
#include "report/conformance_words.hpp"

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;
using conformance::CaseResult;
using conformance::TracePacket;

constexpr int kConformanceSchema = 1;

double microseconds(Time t) { return static_cast<double>(t) / kMicrosecond; }

const char* direction_of(const TracePacket& p) {
  if (p.from_target()) return "received";
  return p.judgement == TracePacket::Judgement::kNotSent ? "not sent" : "sent";
}

Json packet_json(const TracePacket& p) {
  Json j{{"t_us", microseconds(p.at)}, {"direction", direction_of(p)}, {"opcode", p.opcode}, {"psn", p.psn}};
  if (p.aeth) {
    j["syndrome"] = p.aeth->syndrome;
    j["msn"] = p.aeth->msn;
  }
  j["comment"] = packet_comment(p);
  return j;
}

std::string hex_bytes(const std::vector<std::uint8_t>& bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

Json memory_json(const CaseResult& r) {
  Json list = Json::array();
  for (const auto& m : r.memory) {
    list.push_back({{"region", m.region},
                    {"offset", m.offset},
                    {"expected", hex_bytes(m.expected)},
                    {"found", hex_bytes(m.found)},
                    {"guard", m.guard},
                    {"text", m.text}});
  }
  return list;
}

Json completions_json(const CaseResult& r) {
  Json list = Json::array();
  for (const auto& c : r.completions) {
    Json one{{"success", c.success}, {"status", c.status}, {"length", c.length}};
    if (c.immediate) one["immediate"] = *c.immediate;
    list.push_back(std::move(one));
  }
  return list;
}

Json figures_json(const CaseResult& r) {
  Json list = Json::array();
  for (const auto& f : r.figures) {
    Json one{{"name", f.name}, {"value", f.value}, {"unit", f.unit}};
    if (!f.text.empty()) one["text"] = f.text;
    if (f.limit) one["limit"] = *f.limit;
    list.push_back(std::move(one));
  }
  return list;
}

/// Adds members that only some cases have.
void add_details(const CaseResult& r, Json& out) {
  if (!r.missing.empty()) {
    Json list = Json::array();
    for (const auto& m : r.missing)
      list.push_back({{"part", m.part}, {"step", m.step}, {"t_us", microseconds(m.at)}, {"what", m.what}});
    out["missing"] = std::move(list);
  }
  if (!r.memory.empty()) out["memory"] = memory_json(r);
  if (!r.completions.empty()) out["completions"] = completions_json(r);
  if (r.state) out["state"] = state_words(*r.state);
  if (r.foreign != 0) out["foreign"] = r.foreign;
  if (!r.deviation.empty()) out["deviation"] = r.deviation;
}

Json case_json(const CaseResult& r) {
  const conformance::Case& c = *r.of;
  Json j{{"id", c.id},
         {"title", c.title},
         {"section", c.section},
         {"level", conformance::name_of(c.level)},
         {"severity", conformance::name_of(c.severity)},
         {"verdict", conformance::name_of(r.verdict)}};
  if (!r.reason.empty()) j["reason"] = r.reason;
  j["seconds"] = r.seconds;
  j["attempts"] = r.attempts;
  j["expected"] = c.expected;
  Json observed = Json::array(), checkers = Json::array(), rules = Json::array();
  for (const TracePacket& p : r.trace) observed.push_back(packet_json(p));
  for (const auto& f : r.findings) {
    Json one{{"checker", f.checker}, {"text", f.text}};
    if (f.packet) one["packet"] = *f.packet;
    checkers.push_back(std::move(one));
  }
  for (const auto& rule : r.rules) rules.push_back({{"rule", rule.text}, {"hits", rule.hits}});
  j["observed"] = std::move(observed);
  j["checkers"] = std::move(checkers);
  j["rules"] = std::move(rules);
  j["figures"] = figures_json(r);
  j["files"] = Json::array({page_of(c)});
  if (has_capture(r)) j["files"].push_back(capture_of(c));
  add_details(r, j);
  return j;
}

Json device_json(const conformance::TargetDevice& d) {
  std::string mac;
  for (const std::uint8_t byte : d.mac) mac += fmt::format("{}{:02x}", mac.empty() ? "" : ":", byte);
  Json j{{"name", d.name}, {"address", d.ip.to_string()}, {"mac", mac}};
  if (!d.driver.empty()) j["driver"] = d.driver;
  if (!d.firmware.empty()) j["firmware"] = d.firmware;
  return j;
}

}  // namespace

Json make_conformance_result(const conformance::SuiteResult& result, bool strict) {
  const conformance::Timing& t = result.timing;
  Json j{{"schema_version", kConformanceSchema},
         {"device", device_json(result.device)},
         {"target", result.target},
         {"profile", result.profile},
         {"seed", result.seed},
         {"seconds", result.seconds},
         {"timing",
          {{"round_trip_p50_us", microseconds(t.round_trip_p50)},
           {"round_trip_p99_us", microseconds(t.round_trip_p99)},
           {"t_ack_us", microseconds(t.t_ack)},
           {"silence_us", microseconds(t.silence)},
           {"t_case_us", microseconds(t.t_case)}}}};
  Json cases = Json::array();
  for (const CaseResult& r : result.cases) cases.push_back(case_json(r));
  j["cases"] = std::move(cases);
  const conformance::Totals n = totals_of(result);
  j["totals"] = {{"pass", n.pass},
                 {"fail", n.fail},
                 {"known_deviation", n.known_deviation},
                 {"inconclusive", n.inconclusive},
                 {"not_applicable", n.not_applicable},
                 {"measured", n.measured},
                 {"not_run", n.not_run}};
  j["not_seen"] = result.not_seen;
  if (result.dead) j["dead"] = *result.dead;
  if (result.no_baseline) j["no_baseline"] = *result.no_baseline;
  j["verdict"] = overall_verdict(result, strict);
  return j;
}

std::string conformance_text(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace softfeb::report
