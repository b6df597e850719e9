// SPDX-License-Identifier: BSD-3-Clause
// Parts of to_json() for event data.
#include "config/choices.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"

namespace softfeb::config {
namespace {

using detector::PayloadKind;
using Source = detector::TriggerSourceConfig;

std::string format_hertz(std::uint64_t hertz) {
  if (hertz % 1'000'000 == 0) return std::to_string(hertz / 1'000'000) + "MHz";
  if (hertz % 1'000 == 0) return std::to_string(hertz / 1'000) + "kHz";
  return std::to_string(hertz) + "Hz";
}

Json emit_source(const TriggerSourceSettings& s) {
  const Source& source = s.source;
  Json json{{"kind", choices::kTriggerSource.name(source.kind)},
            {"type", choices::kEventType.name(source.type)}};
  if (source.kind != Source::Kind::kList) json["rate"] = format_hertz(source.rate_hz);
  if (source.kind == Source::Kind::kPeriodic) json["phase"] = format_time(source.phase);
  if (source.kind == Source::Kind::kRandom) {
    if (s.seed) json["seed"] = *s.seed;
    json["pile_up"] = format_probability(s.pile_up);
    json["pile_up_window"] = format_time(source.pile_up_window);
  }
  if (source.kind == Source::Kind::kList && !s.file.empty()) json["file"] = s.file;
  if (source.kind == Source::Kind::kList && s.file.empty()) {
    json["times"] = Json::array();
    for (const Time t : source.times) json["times"].push_back(format_time(t));
  }
  return json;
}

void emit_payload(Json& json, const BoardEventsConfig& e) {
  json["kind"] = choices::kEventKind.name(e.kind);
  if (e.kind == PayloadKind::kCounter) {
    json["size"] = {{"min", e.sizes.min},
                    {"max", e.sizes.max},
                    {"shape", choices::kSizeShape.name(e.sizes.shape)},
                    {"seed", e.sizes.seed}};
    return;
  }
  if (e.kind == PayloadKind::kReplay) {
    json["file"] = e.file;
    return;
  }
  json["channels"] = e.channels;
  json["samples"] = e.samples;
  json["images"] = e.images;
  if (e.kind == PayloadKind::kRoi)
    json["suppress"] = {{"threshold", e.suppression.threshold}, {"margin", e.suppression.margin}};
}

}  // namespace

Json emit_trigger(const TriggerConfig& trigger) {
  Json json{{"name", trigger.name},
            {"dead_time", format_time(trigger.dead_time)},
            {"mode", choices::kTriggerMode.name(trigger.message)}};
  json["sources"] = Json::array();
  for (const TriggerSourceSettings& s : trigger.sources) json["sources"].push_back(emit_source(s));
  return json;
}

Json emit_events(const RunConfig& config, const BoardEventsConfig& e) {
  Json json{{"trigger", config.triggers[e.trigger].name}};
  json["to"] = Json::array();
  for (const std::size_t r : e.builders.receivers) json["to"].push_back(config.receivers[r].endpoint.name);
  if (!e.builders.sinks.empty()) json["to"] = e.to_names;
  emit_payload(json, e);
  json["readout_delay"] = format_time(e.readout_delay);
  json["fifo"] = e.fifo;
  json["busy"] = choices::kBusy.name(e.veto);
  if (e.veto) json["busy_at"] = e.busy_at;
  if (e.veto) json["busy_delay"] = format_time(e.busy_delay);
  json["slots"] = e.slots;
  json["slot"] = format_size(e.slot);
  json["piece"] = format_size(e.piece);
  json["transport"] = choices::kTransport.name(e.transport);
  if (e.pmtu) json["pmtu"] = *e.pmtu;
  json["timeout"] = e.timeout;
  json["retry_count"] = e.retry_count;
  return json;
}

Json emit_events(const ReceiverEventsConfig& e) {
  Json json = Json::object();
  if (!e.board_names.empty()) json["boards"] = e.board_names;
  json["window"] = e.window;
  json["timeout"] = format_time(e.timeout);
  json["remember"] = e.remember;
  if (!e.out.empty()) json["out"] = e.out;
  json["loss_limit"] = format_probability(e.loss_limit);
  return json;
}

}  // namespace softfeb::config
