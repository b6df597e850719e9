// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/event_builder.hpp"
#include "detector/event_header.hpp"
#include "detector/event_layout.hpp"
#include "detector/event_payload.hpp"
#include "engine/trigger_bus.hpp"
#include "roce/responder.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

struct EventReceiverConfig {
  detector::EventLayout layout;
  std::uint32_t builder = 0;              ///< number of this receiver among the builders
  detector::EventBuilderConfig building;  ///< boards, piece, largest, slots and builders come from `layout`
  /// Memory of layout.memory() bytes at this remote address; must outlive the receiver.
  std::uint64_t address = 0;
  const std::uint8_t* memory = nullptr;
  /// Payload to compare with; must outlive the receiver. Null: the CRC of the payload is checked instead.
  const detector::EventPayload* expected = nullptr;
  const TriggerBus* triggers = nullptr;  ///< tells when traffic began; must outlive the receiver
};

/// Messages that are not passed to the event builder, by the first check that fails.
struct EventMessageCounts {
  std::uint64_t messages = 0;
  std::uint64_t no_immediate = 0;
  detector::HeaderCounts header;
  std::uint64_t wrong_source = 0;     ///< the board of the header is not that of the queue pair
  std::uint64_t wrong_immediate = 0;  ///< not the lower half of the event number
  std::uint64_t wrong_address = 0;    ///< not the place of this piece of this event
  std::uint64_t wrong_payload = 0;    ///< not the expected payload
};

/// Passes the messages of a receiver's queue pairs to an event builder: reads the header in memory, and
/// rejects messages whose header contradicts the immediate, the address or the queue pair. A false event
/// number thus does not reach the builder, whose horizon it would move.
///
/// Times of the builder are those since traffic began. Sans-I/O; only the constructor allocates.
class EventReceiver {
 public:
  explicit EventReceiver(const EventReceiverConfig& config, detector::EventSink* sink = nullptr);

  /// A complete message of queue pair `board`, to which only this board sends.
  void message(Time now, std::uint32_t board, const roce::MessageEvent& message);
  /// Closes the events that are due.
  void advance(Time now);
  /// Time of the next timeout; kNever if no event is open.
  Time deadline() const { return saturating_add(config_.triggers->began(), builder_.deadline()); }
  /// Call once, after the last message. `sent`: number of triggers of the run.
  void finish(Time now, std::uint64_t sent);

  const EventMessageCounts& counts() const { return counts_; }
  const detector::EventBuilder& builder() const { return builder_; }
  detector::EventBuilder& builder() { return builder_; }
  const EventReceiverConfig& config() const { return config_; }

 private:
  std::optional<detector::EventHeader> read(std::uint32_t board, const roce::MessageEvent& message);
  bool in_place(const detector::EventHeader& header, std::uint64_t address) const;
  Time run_time(Time now) const;

  EventReceiverConfig config_;
  detector::EventBuilder builder_;
  EventMessageCounts counts_;
};

}  // namespace softfeb::engine
