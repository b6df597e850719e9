// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/events.hpp"

#include "config/error.hpp"
#include "detector/counter_payload.hpp"
#include "detector/payload_pools.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace softfeb::endpoints {

namespace {

using detector::PayloadKind;

/// Returns the configuration of the bus for element `t` of config.triggers. The bus has sources only if
/// `computed` is true: the boards then compute their triggers instead of receiving them.
engine::TriggerBusConfig bus_of(const config::RunConfig& config, std::size_t t, bool computed) {
  engine::TriggerBusConfig bus;
  if (!computed) return bus;
  for (const config::TriggerSourceSettings& s : config.triggers[t].sources) bus.sources.push_back(s.source);
  bus.dead_time = config.triggers[t].dead_time;
  for (const config::BoardConfig& board : config.boards) {
    if (!board.events || board.events->trigger != t) continue;
    ++bus.boards;
    bus.busy_delay = board.events->busy_delay;
  }
  return bus;
}

std::unique_ptr<detector::EventPayload> make_payload(const config::BoardEventsConfig& e, std::uint64_t seed) {
  const detector::EventLayout layout = e.layout();
  if (e.kind == PayloadKind::kCounter)
    return std::make_unique<detector::CounterPayload>(e.sizes, layout.piece, layout.largest());
  if (e.kind == PayloadKind::kBeamlets) {
    return detector::make_beamlet_pool({.beamlets = e.channels,
                                        .times = e.samples,
                                        .images = e.images,
                                        .seed = seed,
                                        .boards = {0, e.boards},
                                        .piece = layout.piece,
                                        .largest = layout.largest()});
  }
  detector::CameraPoolConfig pool;
  pool.camera.boards = e.boards;
  pool.camera.channels = e.channels;
  pool.camera.samples = e.samples;
  pool.camera.images = e.images;
  pool.camera.seed = seed;
  pool.kind = e.kind;
  pool.suppression = e.suppression;
  pool.boards = {0, e.boards};
  pool.piece = layout.piece;
  pool.largest = layout.largest();
  return detector::make_camera_pool(pool);
}

}  // namespace

void EventData::begin(Time at, detector::EventTime origin) {
  for (const auto& feed : triggers) feed->begin(at, origin);
}

void EventData::end(Time at) {
  for (const auto& feed : triggers) feed->end(at);
}

std::uint64_t EventData::events(const engine::TriggerFeed& run) const {
  std::uint64_t n = run.events();
  for (const auto& m : messages) {
    if (m && &m->run() == &run) n = std::max(n, m->events());
  }
  return n;
}

std::unique_ptr<engine::TriggerFeed> make_trigger_bus(const engine::TriggerBusConfig& config) {
  return std::make_unique<engine::TriggerBus>(config);
}

EventData make_event_data(const config::RunConfig& config, const EventServices& services) {
  EventData data;
  const auto by_message = [&](std::size_t t) { return services.messages && config.triggers[t].message; };
  for (std::size_t t = 0; t < config.triggers.size(); ++t)
    data.triggers.push_back(services.make_triggers(bus_of(config, t, !by_message(t))));
  data.messages.resize(config.boards.size());
  data.payload_of.resize(config.boards.size());
  std::map<config::EventBuilders, const detector::EventPayload*> by_builders;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    const auto& events = config.boards[b].events;
    if (!events) continue;
    if (by_message(events->trigger)) {
      data.messages[b] =
          std::make_unique<engine::MessageTriggers>(*data.triggers[events->trigger], config.run.number);
    }
    const detector::EventPayload*& payload = by_builders[events->builders];
    if (payload == nullptr) {
      const bool replays = events->kind == PayloadKind::kReplay && services.replay;
      data.payloads.push_back(replays ? services.replay(*events) : make_payload(*events, config.run.seed));
      payload = data.payloads.back().get();
    }
    data.payload_of[b] = payload;
  }
  return data;
}

engine::EventSenderConfig event_sender_of(const config::RunConfig& config, std::size_t b,
                                          const EventData& data) {
  const config::BoardEventsConfig& e = *config.boards[b].events;
  engine::EventSenderConfig c;
  c.fifo.layout = e.layout();
  c.fifo.board = static_cast<std::uint16_t>(e.board);
  c.fifo.readout_delay = e.readout_delay;
  c.fifo.fifo = e.fifo;
  if (e.veto) c.fifo.busy_at = e.busy_at;
  c.fifo.run = config.run.number;
  const detector::EventPayload::Shape& shape = data.payload_of[b]->shape();
  c.fifo.window = e.kind == PayloadKind::kReplay ? shape.samples * kNanosecond : e.window();
  c.fifo.kind = shape.kind;
  c.fifo.channels = shape.channels;
  c.fifo.samples = shape.samples;
  c.pmtu = config.boards[b].qps.front().pmtu;
  c.payload = data.payload_of[b];
  c.triggers = data.triggers[e.trigger].get();
  c.messages = data.messages[b].get();
  if (c.messages != nullptr) c.triggers = c.messages;
  if (e.veto) c.reports_as = e.on_trigger;
  return c;
}

engine::EventReceiverConfig event_receiver_of(const config::RunConfig& config, std::size_t r,
                                              const EventData& data, std::uint64_t address,
                                              const std::uint8_t* memory) {
  const config::ReceiverConfig& receiver = config.receivers[r];
  const config::ReceiverEventsConfig& e = *receiver.events;
  const config::BoardEventsConfig& boards = *config.boards[*e.first_board].events;
  engine::EventReceiverConfig c;
  c.layout = boards.layout();
  c.builder = e.builder;
  c.building.window = e.window;
  c.building.timeout = e.timeout;
  c.building.remember = e.remember;
  c.address = address;
  c.memory = memory;
  if (receiver.check_payload) c.expected = data.payload_of[*e.first_board];
  c.triggers = data.triggers[boards.trigger].get();
  return c;
}

std::uint64_t own_triggers(const config::RunConfig& config, std::size_t r, const EventData& data) {
  const config::ReceiverEventsConfig& e = *config.receivers[r].events;
  const config::BoardEventsConfig& boards = *config.boards[*e.first_board].events;
  const std::uint64_t all = data.events(*data.triggers[boards.trigger]);
  return all <= e.builder ? 0 : (all - e.builder - 1) / boards.builders.size() + 1;
}

}  // namespace softfeb::endpoints
