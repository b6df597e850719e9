// SPDX-License-Identifier: BSD-3-Clause
#include "report/event_result.hpp"

#include "config/choices.hpp"

#include <algorithm>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

Json rejected_messages(const engine::EventMessageCounts& c) {
  Json json{{"no_immediate", c.no_immediate}};
  for (std::size_t v = 0; v + 1 < detector::kHeaderVerdicts; ++v) {
    const auto verdict = static_cast<detector::HeaderVerdict>(v);
    json[detector::to_string(verdict)] = c.header[verdict];
  }
  json["wrong_source"] = c.wrong_source;
  json["wrong_immediate"] = c.wrong_immediate;
  json["wrong_address"] = c.wrong_address;
  json["wrong_payload"] = c.wrong_payload;
  return json;
}

Json fragments(const detector::EventBuilderCounts& c) {
  Json json = Json::object();
  for (std::size_t v = 0; v < detector::kFragmentVerdicts; ++v) {
    const auto verdict = static_cast<detector::FragmentVerdict>(v);
    json[detector::to_string(verdict)] = c[verdict];
  }
  return json;
}

Json latency(detector::EventBuilder& builder) {
  const detector::LatencyPercentiles p = builder.latencies().percentiles();
  const auto us = [](Time t) { return to_seconds(t) * 1e6; };
  Json buckets = Json::array();
  builder.latencies().histogram().for_each_bucket([&](std::uint64_t ns, std::uint64_t count) {
    buckets.push_back({static_cast<double>(ns) / 1000, count});
  });
  return {{"count", builder.latencies().count()},
          {"min_us", us(p.min)},
          {"p50_us", us(p.p50)},
          {"p90_us", us(p.p90)},
          {"p99_us", us(p.p99)},
          {"p999_us", us(p.p999)},
          {"max_us", us(p.max)},
          {"buckets", std::move(buckets)}};
}

/// Returns the numbers of the events that the builder has not seen, as ranges. In each range, only every
/// `builders`-th number belongs to this builder.
Json unseen(const engine::EventReceiver& events) {
  const std::uint64_t builders = events.config().layout.builders;
  Json list = Json::array();
  for (const auto& r : events.builder().unseen().ranges()) {
    list.push_back(
        {r.first * builders + events.config().builder, r.last * builders + events.config().builder});
  }
  return list;
}

Json messages(const engine::MessageTriggers& triggers) {
  const engine::TriggerMessageCounts& c = triggers.messages();
  return {{"accepted", c.accepted}, {"lost", triggers.lost()},    {"ignored", c.ignored},
          {"ends", c.ends},         {"malformed", c.malformed},   {"wrong_run", c.wrong_run},
          {"early", c.early},       {"wrong_time", c.wrong_time}, {"clock_steps", c.clock_steps}};
}

Json file(const stats::EventFileOutcome& f) {
  return {{"path", f.path},
          {"written", f.written},
          {"not_written", f.not_written},
          {"fragments", f.fragments},
          {"data_bytes", f.data_bytes},
          {"queue_peak", f.queue_peak},
          {"error", f.error.empty() ? Json(nullptr) : Json(f.error)}};
}

/// Number of boards for which a trigger came too late at least once.
std::size_t late_boards(const config::RunConfig& config, const endpoints::Endpoints& endpoints,
                        std::size_t trigger) {
  std::size_t n = 0;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    const auto& events = config.boards[b].events;
    if (events && events->trigger == trigger && endpoints.boards[b]->events()->late() != 0) ++n;
  }
  return n;
}

}  // namespace

void add_triggers(Json& json, const config::RunConfig& config, const stats::Outcome& o,
                  const endpoints::Endpoints& endpoints) {
  if (config.triggers.empty()) return;
  Json& list = json["triggers"] = Json::array();
  for (std::size_t t = 0; t < config.triggers.size(); ++t) {
    const engine::TriggerFeed& bus = *endpoints.events.triggers[t];
    const double seconds = to_seconds(o.stopped - o.started);
    Json sources = Json::array();
    for (std::size_t i = 0; i < bus.counts().size(); ++i) {
      const detector::TriggerCounts& c = bus.counts()[i];
      const config::TriggerSourceSettings& s = config.triggers[t].sources[i];
      sources.push_back({{"kind", config::choices::kTriggerSource.name(s.source.kind)},
                         {"type", config::choices::kEventType.name(s.source.type)},
                         {"candidates", c.candidates},
                         {"accepted", c.accepted},
                         {"dead_time", c.dead_time},
                         {"busy", c.busy}});
    }
    const auto rate = static_cast<double>(endpoints.events.events(bus));
    list.push_back(
        {{"name", config.triggers[t].name},
         {"accepted", endpoints.events.events(bus)},
         {"rate_hz", seconds > 0 ? Json(rate / seconds) : Json(nullptr)},
         {"late_boards", late_boards(config, endpoints, t)},
         {"busy_share", seconds > 0 ? Json(to_seconds(bus.busy_time(o.stopped)) / seconds) : Json(nullptr)},
         {"sources", std::move(sources)}});
  }
}

void add_board_events(Json& json, const endpoints::Endpoints& endpoints, std::size_t board) {
  const engine::EventSender* const events = endpoints.boards[board]->events();
  if (events == nullptr) return;
  const detector::FragmentFifoCounts& c = events->fifo().counts();
  json["events"] = {{"triggers", c.triggers},
                    {"sent", c.completed},
                    {"lost", c.lost},
                    {"lost_in_readout", c.lost_in_readout},
                    {"missed_triggers", events->missed()},
                    {"late", events->late()},
                    {"cut", c.cut},
                    {"most_in_fifo", c.most},
                    {"busy_s", to_seconds(c.busy_time)}};
  if (events->messages() != nullptr) json["events"]["trigger_messages"] = messages(*events->messages());
}

void add_receiver_events(Json& json, const config::RunConfig& config, const stats::Outcome& o,
                         endpoints::Endpoints& endpoints, std::size_t receiver) {
  engine::EventReceiver* const events = endpoints.receivers[receiver]->events();
  if (events == nullptr) return;
  const detector::EventBuilderCounts& c = events->builder().counts();
  const std::uint64_t own = endpoints::own_triggers(config, receiver, endpoints.events);
  const std::uint64_t complete = c[detector::EventStatus::kComplete];
  const std::uint64_t incomplete = own - std::min(own, complete);
  Json out{{"triggers", own}, {"opened", c.opened}};
  for (std::size_t s = 0; s < detector::kEventStatuses; ++s) {
    const auto status = static_cast<detector::EventStatus>(s);
    out[detector::to_string(status)] = c[status];
  }
  out["unseen"] = events->builder().unseen().count();
  out["unseen_ranges"] = unseen(*events);
  out["unseen_unlisted"] = events->builder().unseen().unlisted();
  out["loss"] = own == 0 ? 0.0 : static_cast<double>(incomplete) / static_cast<double>(own);
  out["messages"] = events->counts().messages;
  out["rejected"] = rejected_messages(events->counts());
  out["fragments"] = fragments(c);
  out["payload_bytes"] = c.bytes;
  out["early"] = c.early;
  out["clock_steps"] = c.clock_steps;
  out["latency"] = latency(events->builder());
  if (receiver < o.event_files.size() && o.event_files[receiver])
    out["file"] = file(*o.event_files[receiver]);
  json["events"] = std::move(out);
}

}  // namespace softfeb::report
