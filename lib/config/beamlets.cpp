// SPDX-License-Identifier: BSD-3-Clause
// Keys `kind`, `period` and `phase` of a QP's traffic.
#include "config/checks.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"

#include <array>
#include <utility>

namespace softfeb::config {
namespace {

constexpr Time kShortestPeriod = kNanosecond;
constexpr Time kLongestPeriod = 3600 * kSecond;

/// Keys that must not be given for beamlets, each with the reason.
constexpr std::array<std::pair<const char*, const char*>, 5> kRefused{{
    {"rate", "`period` determines when beamlets are sent"},
    {"arrivals", "`period` determines when beamlets are sent"},
    {"burst", "beamlets are paced by message"},
    {"lengths", "beamlets have one size"},
    {"transfer", "beamlets are not parts of transfers"},
}};

void refuse_without_beamlets(Section& s) {
  for (const char* key : {"period", "phase"}) {
    if (!s.given(key)) continue;
    s.reading().problem(s.find(key)->where, "only beamlets have it", "add `kind: beamlets`, or remove it");
  }
}

void refuse_with_beamlets(Section& s) {
  for (const auto& [key, reason] : kRefused) {
    if (!s.given(key)) continue;
    s.reading().problem(s.find(key)->where, reason, "remove it, or write `kind: messages`");
  }
}

Parsed<BeamletsConfig> parse_phase(const std::string& text) {
  if (text == "spread") return BeamletsConfig{0, true};
  auto phase = parse_time_in(text, 0, kLongestPeriod, "a phase");
  if (!phase.value) return {phase.message, phase.fix + ", or write spread"};
  return BeamletsConfig{*phase.value, false};
}

/// Sets the verb and the immediate of beamlets: the immediate is the number of the message in its stream, as
/// a receiver with `windows` requires. Reports a problem if the section gives other values.
void set_numbers(Section& s, TrafficConfig& traffic) {
  if (s.given("verb") && traffic.verb != roce::WrOpcode::kWriteImm) {
    s.reading().problem(s.find("verb")->where, "beamlets are WRITEs with immediate",
                        "remove it, or write `verb: write_imm`");
  }
  if (s.given("immediate") && traffic.immediate.kind != ImmediateConfig::Kind::kCounter) {
    s.reading().problem(s.find("immediate")->where, "the immediates of beamlets number them",
                        "remove it, or write `immediate: counter`");
  }
  traffic.verb = roce::WrOpcode::kWriteImm;
  traffic.immediate = {ImmediateConfig::Kind::kCounter, 0};
}

}  // namespace

void read_beamlets(Section& s, TrafficConfig& traffic) {
  bool beamlets = false;
  const bool kind = s.read("kind", beamlets, choices::kTraffic);
  if (!kind && s.given("kind")) {
    s.find("period");
    s.find("phase");
    return;
  }
  if (!beamlets) return refuse_without_beamlets(s);
  refuse_with_beamlets(s);
  set_numbers(s, traffic);
  Time period = kSecond;
  s.require("period", period, time_in(kShortestPeriod, kLongestPeriod, "a period"), "20.97152ms");
  BeamletsConfig config;
  s.read("phase", config, parse_phase);
  traffic.beamlets = config;
  traffic.rate = Rate::every(period);
}

void check_beamlets(Reading& reading, const RunConfig& config, const QpConfig& qp) {
  if (!qp.traffic.beamlets || qp.transport == roce::Transport::kUc) return;
  reading.problem(config.place(qp.where, "transport"), "beamlets are sent over UC", "write `transport: UC`");
}

}  // namespace softfeb::config
