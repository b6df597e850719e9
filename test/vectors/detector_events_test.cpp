// SPDX-License-Identifier: BSD-3-Clause
// Replays the golden traces of the event builder (detector/events_*.json): every verdict, closed event and
// counter must equal those of the trace.
#include "detector/event_builder.hpp"
#include "detector_file.hpp"
#include "support/vector_files.hpp"

#include <algorithm>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::test;
using nlohmann::json;

namespace {

Fragment fragment_of(const json& row) {
  return {.event = row.at(1),
          .board = row.at(2),
          .offset = row.at(3),
          .length = row.at(4),
          .total = row.at(5),
          .trigger = row.at(6)};
}

EventBuilderConfig config_of(const json& trace) {
  const json& c = trace.at("config");
  EventBuilderConfig out{.boards = c.at("boards"),
                         .piece = c.at("piece"),
                         .largest = 0,
                         .window = c.at("window"),
                         .timeout = c.at("timeout_ps"),
                         .remember = c.at("remember"),
                         .slots = c.at("slots")};
  // The reference model does not limit the size of fragments, so use the largest one in the trace.
  for (const json& row : trace.at("arrivals")) out.largest = std::max(out.largest, fragment_of(row).total);
  return out;
}

json ranges_of(const ClosedEvent& e, std::uint32_t board) {
  json out = json::array();
  for (std::uint32_t k = e.find_missing(board, 0); k < e.pieces(board); k = e.find_missing(board, k)) {
    const std::uint32_t end = e.find_present(board, k);
    out.push_back({k, end - 1});
    k = end;
  }
  return out;
}

class Recorder : public EventSink {
 public:
  void on_closed(const ClosedEvent& e) override {
    json missing = json::array();
    for (std::uint32_t b = 0; b < e.boards(); ++b) {
      if (!e.whole(b)) missing.push_back({b, e.arrived(b) ? ranges_of(e, b) : json()});
    }
    if (missing.size() != e.missing_boards()) throw std::runtime_error("missing_boards() is wrong");
    closed.push_back({{"event", e.event()},
                      {"status", to_string(e.status())},
                      {"at_ps", e.at()},
                      {"first_ps", e.first()},
                      {"missing", missing}});
  }
  json closed = json::array();
};

json counters_of(const EventBuilderCounts& c) {
  json out{{"fragments", c.fragments}, {"bytes", c.bytes}, {"opened", c.opened}};
  for (std::size_t i = 0; i < kFragmentVerdicts; ++i)
    out[to_string(static_cast<FragmentVerdict>(i))] = c.by_verdict[i];
  for (std::size_t i = 0; i < kEventStatuses; ++i)
    out[to_string(static_cast<EventStatus>(i))] = c.by_status[i];
  return out;
}

json latency_of(EventBuilder& builder) {
  json out;
  const LatencyPercentiles p = builder.latencies().percentiles();
  for (const auto& [name, value] : {std::pair{"min", p.min},
                                    {"p50", p.p50},
                                    {"p90", p.p90},
                                    {"p99", p.p99},
                                    {"p999", p.p999},
                                    {"max", p.max}})
    out[name] = builder.latencies().count() == 0 ? json() : json(value);
  return out;
}

json replay_events(const json& trace) {
  const json columns{"t_ps", "event", "board", "offset", "length", "total", "trigger_ps"};
  if (trace.at("columns") != columns) throw std::runtime_error("unknown columns");
  Recorder recorder;
  EventBuilder builder(config_of(trace), &recorder);
  json verdicts = json::array();
  for (const json& row : trace.at("arrivals"))
    verdicts.push_back(to_string(builder.add(row.at(0), fragment_of(row))));
  builder.finish(trace.at("finish").at("t_ps"), trace.at("finish").at("sent").get<std::uint64_t>());
  json never_seen = json::array();
  for (const auto& [first, last] : builder.unseen().ranges()) never_seen.push_back({first, last});
  return {{"verdicts", verdicts},
          {"closed", recorder.closed},
          {"counters", counters_of(builder.counts())},
          {"never_seen", never_seen},
          {"latency_ps", latency_of(builder)}};
}

}  // namespace

TEST_CASE("detector vectors: event builder", "[events]") {
  const auto files = detector_files("events");
  if (vectors_are_ours()) REQUIRE(files.size() >= 6);
  for (const DetectorFile& file : files) {
    INFO(file.name);
    CHECK(first_difference(replay_events(file.document), file.document.at("expected")) == "");
  }
}
