// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/event_builder.hpp"
#include "detector/event_header.hpp"
#include "detector/event_layout.hpp"
#include "detector/event_payload.hpp"
#include "detector/event_recorder.hpp"
#include "engine/trigger_feed.hpp"
#include "roce/responder.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

struct EventReceiverConfig {
  detector::EventLayout layout;
  std::uint32_t builder = 0;  ///< index of this receiver among the builders
  /// Configuration of the event builder. The receiver itself sets some members: `boards`, `piece`, `largest`,
  /// `slots` and `builders` from `layout`, and `builder` from the member `builder` above.
  detector::EventBuilderConfig building;
  /// Remote address of `memory`, which has layout.memory() bytes and must outlive the receiver.
  std::uint64_t address = 0;
  const std::uint8_t* memory = nullptr;
  /// Expected payload, which is compared with the received payload; must outlive the receiver. If this is
  /// null, the CRC of the payload is checked instead.
  const detector::EventPayload* expected = nullptr;
  const TriggerFeed* triggers = nullptr;  ///< tells when traffic began; must outlive the receiver
  /// Records the accepted fragments and the closed events. Is called on the packet path. May be null;
  /// otherwise, it must outlive the receiver.
  detector::EventRecorder* recorder = nullptr;
};

/// Numbers of messages. Each message that is not passed to the event builder is counted by the first check
/// that failed.
struct EventMessageCounts {
  std::uint64_t messages = 0;
  std::uint64_t no_immediate = 0;
  detector::HeaderCounts header;
  std::uint64_t wrong_source = 0;     ///< the header names a board that does not use this queue pair
  std::uint64_t wrong_immediate = 0;  ///< the immediate is not the lower half of the event number
  std::uint64_t wrong_address = 0;    ///< the message is not at the address of its piece
  std::uint64_t wrong_payload = 0;    ///< the payload differs from the expected payload
};

/// Passes the messages of a receiver's queue pairs to an event builder. Reads the header of a message in
/// memory, and rejects the message if the header contradicts the immediate, the address or the queue pair.
/// A wrong event number therefore does not reach the builder. If a wrong number were too high, the builder
/// would later reject the events below it as stale.
///
/// The builder's times count from the start of traffic. Sans-I/O; only the constructor allocates.
class EventReceiver {
 public:
  /// `sink` receives the closed events instead of the recorder, and must pass them on to the recorder. If
  /// `sink` is null, the recorder receives the closed events directly.
  explicit EventReceiver(const EventReceiverConfig& config, detector::EventSink* sink = nullptr);

  /// Processes a complete message of the queue pair with index `board`; only the board with this index uses
  /// that queue pair.
  void message(Time now, std::uint32_t board, const roce::MessageEvent& message);
  /// Closes the events whose timeout expires at or before `now`.
  void advance(Time now);
  /// Time of the next timeout; kNever if no event is open.
  Time deadline() const { return saturating_add(config_.triggers->began(), builder_.deadline()); }
  /// Call once, after the last message. `sent` is the number of triggers of the run.
  void finish(Time now, std::uint64_t sent);

  const EventMessageCounts& counts() const { return counts_; }
  const detector::EventBuilder& builder() const { return builder_; }
  detector::EventBuilder& builder() { return builder_; }
  const EventReceiverConfig& config() const { return config_; }

 private:
  std::optional<detector::EventHeader> read(std::uint32_t board, const roce::MessageEvent& message);
  ByteSpan bytes_of(const roce::MessageEvent& message) const;
  bool in_place(const detector::EventHeader& header, std::uint64_t address) const;
  Time run_time(Time now) const;

  EventReceiverConfig config_;
  detector::EventBuilder builder_;
  EventMessageCounts counts_;
};

}  // namespace softfeb::engine
