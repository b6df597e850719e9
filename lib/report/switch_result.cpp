// SPDX-License-Identifier: BSD-3-Clause
// Builds the result document of a run of switch tests.
#include "report/switch_rows.hpp"

#include <array>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;
using switchtest::Curve;
using switchtest::Figure;
using switchtest::Findings;
using switchtest::SwitchReport;
using switchtest::TestReport;
using switchtest::TrialRecord;

constexpr int kSwitchSchema = 1;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

template <typename T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json figure_json(const Figure& f) {
  Json j{{"name", f.name},
         {"labels", Json::object()},
         {"value", number_or_null(f.value)},
         {"low", number_or_null(f.low)},
         {"high", number_or_null(f.high)},
         {"unit", f.unit},
         {"method", name_of(f.method)},
         {"trials", f.trials},
         {"void_trials", f.void_trials},
         {"status", switchtest::name(f.status)}};
  for (const auto& [key, value] : f.labels) j["labels"][key] = value;
  if (!f.reason.empty()) j["reason"] = f.reason;
  if (!f.text.empty()) j["text"] = f.text;
  return j;
}

Json curve_json(const Curve& c) {
  Json points = Json::array();
  for (const Curve::Point& p : c.points) {
    Json point{{"x", p.x}, {"y", p.y}};
    if (p.low) point["low"] = *p.low;
    if (p.high) point["high"] = *p.high;
    points.push_back(std::move(point));
  }
  return {{"name", c.name},     {"label", c.label},   {"x_name", c.x_name},         {"x_unit", c.x_unit},
          {"y_name", c.y_name}, {"y_unit", c.y_unit}, {"points", std::move(points)}};
}

/// Leaves out counts that are 0, except `sent` and `arrived`, because a test may have thousands of trials.
Json counts_json(const TrialRecord::Counts& c) {
  Json j{{"sent", c.sent}, {"arrived", c.arrived}};
  if (c.duplicated != 0) j["duplicated"] = c.duplicated;
  if (c.reordered != 0) j["reordered"] = c.reordered;
  if (c.damaged != 0) j["damaged"] = c.damaged;
  constexpr std::array<const char*, 4> kEcnNames = {"not_ect", "ect1", "ect0", "ce"};
  for (std::size_t k = 0; k < kEcnNames.size(); ++k)
    if (c.ecn[k] != 0) j[kEcnNames[k]] = c.ecn[k];
  return j;
}

Json trial_json(const TrialRecord& t) {
  Json kinds = Json::array();
  for (const TrialRecord::Counts& c : t.kinds) kinds.push_back(counts_json(c));
  Json j{{"at_s", to_seconds(t.at)}, {"pauses", t.pauses}, {"kinds", std::move(kinds)}};
  if (t.late != 0) j["late_us"] = to_seconds(t.late) * 1e6;
  if (t.time_error != 0) j["time_error_us"] = to_seconds(t.time_error) * 1e6;
  if (!t.void_reason.empty()) j["void_reason"] = t.void_reason;
  return j;
}

Json test_json(const TestReport& t) {
  Json j{{"name", t.name}, {"title", t.title}, {"status", switchtest::name(t.status)}};
  if (!t.reason.empty()) j["reason"] = t.reason;
  j["seconds"] = to_seconds(t.took);
  Json figures = Json::array(), curves = Json::array(), trials = Json::array();
  for (const Figure& f : t.figures) figures.push_back(figure_json(f));
  for (const Curve& c : t.curves) curves.push_back(curve_json(c));
  for (const TrialRecord& r : t.trials) trials.push_back(trial_json(r));
  j["figures"] = std::move(figures);
  j["curves"] = std::move(curves);
  j["trials"] = std::move(trials);
  return j;
}

Json ports_json(const SwitchReport& report) {
  Json out = Json::array();
  for (const switchtest::RigPort& p : report.ports)
    out.push_back({{"name", p.name},
                   {"rate_gbps", static_cast<double>(p.rate) * 8e-9},
                   {"largest_frame", p.largest_frame}});
  return out;
}

/// Returns the name of the port for each role.
Json roles_json(const SwitchReport& report) {
  const switchtest::Roles& roles = report.settings.roles;
  const auto port = [&](std::uint16_t p) {
    return p < report.ports.size() ? Json(report.ports[p].name) : Json(nullptr);
  };
  const auto list = [&](const std::vector<std::uint16_t>& ports) {
    Json out = Json::array();
    for (const std::uint16_t p : ports) out.push_back(port(p));
    return out;
  };
  Json j{{"A", port(roles.a)}};
  if (roles.b) j["B"] = port(*roles.b);
  if (roles.c) j["C"] = port(*roles.c);
  j["D"] = port(roles.d);
  if (roles.e) j["E"] = port(*roles.e);
  j["senders"] = list(roles.more);
  j["next_hops"] = list(roles.next_hops);
  return j;
}

Json settings_json(const SwitchReport& report) {
  const switchtest::Settings& s = report.settings;
  return {{"roles", roles_json(report)},
          {"profile", name_of(s.effort)},
          {"sizes", s.sizes},
          {"plain_udp", s.plain_udp},
          {"dscp", s.dscp},
          {"seed", s.seed},
          {"soak_s", to_seconds(s.soak)}};
}

const char* word_of(roce::PauseMode mode) {
  return mode == roce::PauseMode::kPause ? "802.3x" : mode == roce::PauseMode::kPfc ? "PFC" : "none";
}

/// Returns the findings of earlier tests that later tests used.
Json findings_json(const Findings& f) {
  Json j{{"obeys_pauses", word_of(f.obeyed)},
         {"sends_pauses", word_of(f.sends)},
         {"largest_frame", value_or_null(f.largest_frame)},
         {"queue_bytes", value_or_null(f.queue_bytes)},
         {"marking", nullptr},
         {"pausing", nullptr},
         {"headroom", nullptr}};
  if (f.marking)
    j["marking"] = {{"kmin_bytes", f.marking->kmin},
                    {"kmax_bytes", f.marking->kmax},
                    {"pmax", f.marking->pmax},
                    {"where", f.marking->at_dequeue ? "dequeue" : "enqueue"}};
  if (f.pausing) j["pausing"] = {{"xoff_bytes", f.pausing->xoff}, {"xon_bytes", f.pausing->xon}};
  if (f.headroom)
    j["headroom"] = {{"guaranteed_bytes", f.headroom->guaranteed},
                     {"dscp", f.headroom->dscp},
                     {"shared", f.headroom->shared}};
  return j;
}

Json expectations_json(const SwitchRun& run) {
  Json out = Json::array();
  for (const switchtest::Expectation& e : run.expectations) {
    Json j{{"test", e.test}, {"figure", e.figure}, {"labels", Json::object()}};
    for (const auto& [key, value] : e.labels) j["labels"][key] = value;
    if (e.min) j["min"] = *e.min;
    if (e.max) j["max"] = *e.max;
    if (e.word) j["word"] = *e.word;
    j["text"] = e.text;
    j["place"] = e.place;
    out.push_back(std::move(j));
  }
  return out;
}

Json verdicts_json(const SwitchRun& run) {
  Json out = Json::array();
  for (const switchtest::Verdict& v : run.verdicts) {
    Json j{{"expectation", v.expectation},
           {"test", v.test},
           {"figure", value_or_null(v.figure)},
           {"outcome", name_of(v.outcome)}};
    if (!v.reason.empty()) j["reason"] = v.reason;
    out.push_back(std::move(j));
  }
  return out;
}

}  // namespace

Json make_switch_result(const SwitchRun& run) {
  const SwitchReport& report = run.report;
  const SwitchTotals t = totals_of(run);
  Json j{{"schema_version", kSwitchSchema},
         {"switch", {{"device", run.device}, {"software", run.software}}},
         {"date", run.date},
         {"rig", name_of(report.rig)},
         {"ports", ports_json(report)},
         {"settings", settings_json(report)},
         {"configuration", run.config},
         {"findings", findings_json(report.findings)}};
  Json tests = Json::array();
  for (const TestReport& test : report.tests) tests.push_back(test_json(test));
  j["tests"] = std::move(tests);
  j["expectations"] = expectations_json(run);
  j["verdicts"] = verdicts_json(run);
  j["totals"] = {{"measured", t.measured},
                 {"unresolvable", t.unresolvable},
                 {"inconclusive", t.inconclusive},
                 {"held", t.held},
                 {"failed", t.failed},
                 {"undecided", t.undecided}};
  j["interrupted"] = report.interrupted;
  j["strict"] = run.strict;
  j["verdict"] = overall_word(run);
  j["exit_status"] = run.exit_status;
  return j;
}

std::string switch_result_text(const SwitchRun& run) {
  return make_switch_result(run).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace softfeb::report
