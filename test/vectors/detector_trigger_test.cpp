// SPDX-License-Identifier: BSD-3-Clause
// Replays the golden trigger sequences (detector/trigger_*.json): every accepted trigger and every count must
// equal those of the trace.
#include "detector/trigger_sequence.hpp"
#include "detector_file.hpp"
#include "support/vector_files.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::test;
using nlohmann::json;

namespace {

TriggerSourceConfig source_of(const json& s) {
  using Kind = TriggerSourceConfig::Kind;
  TriggerSourceConfig out;
  const std::string kind = s.at("kind");
  out.type = static_cast<EventType>(s.at("type").get<std::uint8_t>());
  if (kind == "list") {
    out.kind = Kind::kList;
    out.times = s.at("times_ps").get<std::vector<Time>>();
    return out;
  }
  out.rate_hz = s.at("rate_hz");
  if (kind == "periodic") {
    out.kind = Kind::kPeriodic;
    out.phase = s.at("phase_ps");
  } else if (kind == "random") {
    out.kind = Kind::kRandom;
    out.seed = s.at("seed");
    out.pile_up_parts = s.value("pile_up_parts", std::uint64_t{0});
    out.pile_up_window = s.value("pile_up_window_ps", Time{0});
  } else {
    throw std::runtime_error("unknown source \"" + kind + "\"");
  }
  return out;
}

using Intervals = std::vector<std::pair<Time, Time>>;

/// Returns the union of intervals [from, to), as a sorted list of disjoint intervals.
Intervals united(Intervals busy) {
  std::sort(busy.begin(), busy.end());
  Intervals out;
  for (const auto& [from, to] : busy) {
    if (from >= to) continue;
    if (!out.empty() && from <= out.back().second) {
      out.back().second = std::max(out.back().second, to);
    } else {
      out.emplace_back(from, to);
    }
  }
  return out;
}

json replay_trigger(const json& config) {
  std::vector<TriggerSourceConfig> sources;
  for (const json& s : config.at("sources")) sources.push_back(source_of(s));
  TriggerSequence sequence(std::move(sources), config.at("dead_time_ps"));
  json accepted = json::array();
  const auto run = [&](Time end) {
    while (const auto t = sequence.accept_before(end))
      accepted.push_back({t->event, t->time, static_cast<unsigned>(t->type)});
  };
  const Time end = config.at("end_ps");
  for (const auto& [from, to] : united(config.at("busy_ps").get<Intervals>())) {
    run(std::min(from, end));
    sequence.set_busy(from);
    run(std::min(to, end));
    sequence.set_idle(to);
  }
  run(end);
  json counts = json::array();
  for (const TriggerCounts& c : sequence.counts())
    counts.push_back({{"candidates", c.candidates},
                      {"accepted", c.accepted},
                      {"dead_time", c.dead_time},
                      {"busy", c.busy}});
  return {{"accepted", accepted}, {"sources", counts}};
}

}  // namespace

TEST_CASE("detector vectors: trigger sequences", "[trigger]") {
  const auto files = detector_files("trigger");
  if (vectors_are_ours()) REQUIRE(files.size() >= 3);
  for (const DetectorFile& file : files) {
    INFO(file.name);
    CHECK(first_difference(replay_trigger(file.document.at("config")), file.document.at("expected")) == "");
  }
}
