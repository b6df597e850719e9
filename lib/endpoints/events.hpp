// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/run_config.hpp"
#include "detector/event_payload.hpp"
#include "engine/event_receiver.hpp"
#include "engine/event_sender.hpp"
#include "engine/trigger_bus.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::endpoints {

/// What the boards and receivers of a run share to send and build events.
struct EventData {
  std::vector<std::unique_ptr<engine::TriggerBus>> triggers;  ///< indexed like RunConfig::triggers
  std::vector<std::unique_ptr<detector::EventPayload>> payloads;
  std::vector<const detector::EventPayload*> payload_of;  ///< indexed like RunConfig::boards; null: no events

  /// Sets the start time of traffic to `at`. Call before boards start.
  void begin(Time at);
};

/// Draws the payloads, which takes some time. Throws ConfigError.
EventData make_event_data(const config::RunConfig& config);
/// Returns the configuration for the event data of board `b`, which must have event data.
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
