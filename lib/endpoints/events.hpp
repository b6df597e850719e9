// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/run_config.hpp"
#include "detector/event_payload.hpp"
#include "engine/event_receiver.hpp"
#include "engine/event_sender.hpp"
#include "engine/message_triggers.hpp"
#include "engine/trigger_bus.hpp"
#include "engine/trigger_feed.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::endpoints {

/// Triggers and payloads that the boards and event builders of a run share.
struct EventData {
  std::vector<std::unique_ptr<engine::TriggerFeed>> triggers;  ///< indexed like RunConfig::triggers
  /// Indexed like RunConfig::boards; null means that the board computes its triggers, or has no events.
  std::vector<std::unique_ptr<engine::MessageTriggers>> messages;
  std::vector<std::unique_ptr<detector::EventPayload>> payloads;
  std::vector<const detector::EventPayload*> payload_of;  ///< indexed like RunConfig::boards; may be null

  /// Sets the start of traffic to time `at`, which corresponds to `origin` in TAI. Call before boards start.
  void begin(Time at, detector::EventTime origin);
  /// Sets the end of the triggers: no trigger is accepted at or after `at`.
  void end(Time at);
  /// Number of events of `run` (an element of `triggers`) whose trigger is known to at least one board.
  std::uint64_t events(const engine::TriggerFeed& run) const;
};

/// Makes the triggers for one element of RunConfig::triggers. All boards that refer to this element share the
/// triggers.
using MakeTriggers = std::function<std::unique_ptr<engine::TriggerFeed>(const engine::TriggerBusConfig&)>;
/// A MakeTriggers for boards that all run in the same thread.
std::unique_ptr<engine::TriggerFeed> make_trigger_bus(const engine::TriggerBusConfig& config);

/// Functions and settings for event data that depend on the driver: they differ between real time and virtual
/// time.
struct EventServices {
  MakeTriggers make_triggers = make_trigger_bus;
  /// If true, boards with `mode: message` receive their triggers. If false, these boards compute their
  /// triggers, as in virtual time.
  bool messages = false;
  /// Reads the recording of boards with `kind: replay`. Throws ConfigError.
  std::function<std::unique_ptr<detector::EventPayload>(const config::BoardEventsConfig& events)> replay{};
  /// Returns the recorder for the events of receiver `r`, or null if they are not recorded. The recorder must
  /// outlive the receiver. If this function is not set, no events are recorded.
  std::function<detector::EventRecorder*(std::size_t r)> recorder_of{};
};

/// Makes the triggers and the payloads of a run. Generating payloads takes time. Throws ConfigError.
EventData make_event_data(const config::RunConfig& config, const EventServices& services);
/// Configuration of the event sender of board `b`, which must have events.
engine::EventSenderConfig event_sender_of(const config::RunConfig& config, std::size_t b,
                                          const EventData& data);
/// Returns the configuration for the event builder of receiver `r`, whose `memory` is at remote address
/// `address`.
engine::EventReceiverConfig event_receiver_of(const config::RunConfig& config, std::size_t r,
                                              const EventData& data, std::uint64_t address,
                                              const std::uint8_t* memory);

/// Number of triggers of the run whose events receiver `r` builds.
std::uint64_t own_triggers(const config::RunConfig& config, std::size_t r, const EventData& data);

}  // namespace softfeb::endpoints
