// SPDX-License-Identifier: BSD-3-Clause
#include "event_receiver.hpp"
#include "eventfile/event_file.hpp"

#include <cstdio>

namespace softfeb::sink {

using namespace detector;
using nlohmann::json;

double EventReceiver::loss() const {
  const EventBuilderCounts& counts = builder_.counts();
  const std::uint64_t sent = counts.opened + builder_.unseen().count();
  if (sent == 0) return 0;
  return static_cast<double>(sent - counts[EventStatus::kComplete]) / static_cast<double>(sent);
}

json EventReceiver::report_latency() {
  LatencySummary& latencies = builder_.latencies();
  const LatencyPercentiles p = latencies.percentiles();
  const auto ns = [](Time t) { return static_cast<double>(t) * 1e-3; };
  return {{"count", latencies.count()}, {"min", ns(p.min)},   {"p50", ns(p.p50)}, {"p90", ns(p.p90)},
          {"p99", ns(p.p99)},           {"p999", ns(p.p999)}, {"max", ns(p.max)}};
}

json EventReceiver::report_file() const {
  if (file_ == nullptr) return nullptr;
  const eventfile::EventFileStats stats = file_->stats();
  json file{{"path", options_.out},
            {"written", stats.written},
            {"not_written", stats.not_written},
            {"fragments", stats.fragments},
            {"data_bytes", stats.data_bytes},
            {"queue_peak", stats.queue_peak},
            {"error", nullptr}};
  if (!file_->error().empty()) file["error"] = file_->error();
  return file;
}

/// Reports the events for which no data arrived, as ranges of event numbers. If there are several builders, a
/// range contains only the numbers of this builder's events, that is, every `builders`-th number.
json EventReceiver::report_never_seen() const {
  const auto event_of = [this](std::uint64_t n) { return n * options_.layout.builders + options_.builder; };
  json ranges = json::array();
  for (const UnseenEvents::Range& r : builder_.unseen().ranges())
    ranges.push_back({event_of(r.first), event_of(r.last)});
  return {{"count", builder_.unseen().count()}, {"ranges", std::move(ranges)}};
}

json EventReceiver::report() {
  const EventBuilderCounts& counts = builder_.counts();
  json headers;
  for (std::size_t i = 0; i < kHeaderVerdicts; ++i)
    headers[to_string(static_cast<HeaderVerdict>(i))] = headers_.by_verdict[i];
  json fragments;
  for (std::size_t i = 0; i < kFragmentVerdicts; ++i)
    fragments[to_string(static_cast<FragmentVerdict>(i))] = counts.by_verdict[i];
  json report{{"boards", options_.layout.boards},
              {"opened", counts.opened},
              {"payload_bytes", counts.bytes},
              {"loss", loss()},
              {"early", counts.early},
              {"clock_steps", counts.clock_steps},
              {"headers", std::move(headers)},
              {"contradictions",
               {{"event", contradictions(Contradiction::kEvent)},
                {"board", contradictions(Contradiction::kBoard)},
                {"offset", contradictions(Contradiction::kOffset)}}},
              {"fragments", std::move(fragments)},
              {"incomplete", recorder_.incomplete()},
              {"never_seen", report_never_seen()},
              {"latency_ns", report_latency()},
              {"file", report_file()}};
  for (std::size_t i = 0; i < kEventStatuses; ++i)
    report[to_string(static_cast<EventStatus>(i))] = counts.by_status[i];
  return report;
}

std::vector<std::string> EventReceiver::problems() const {
  std::vector<std::string> list;
  if (100 * loss() > options_.loss_limit_percent) {
    char text[96];
    std::snprintf(text, sizeof text, "%.4g %% of the events are not complete, more than %.4g %%",
                  100 * loss(), options_.loss_limit_percent);
    list.emplace_back(text);
  }
  if (file_ == nullptr) return list;
  if (const std::uint64_t lost = file_->stats().not_written; lost != 0)
    list.push_back(options_.out + ": " + std::to_string(lost) + " events were not written");
  if (!file_->error().empty()) list.push_back(file_->error());
  return list;
}

}  // namespace softfeb::sink
