// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_time.hpp"
#include "detector/event_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// The UDP messages that distribute triggers to boards and return their busy states. All numbers are
/// little-endian. A message has exactly 32 bytes:
///
///      0 magic "SFTR" or "SFBY"   4 version 1 (u8)   5 type (u8)   6 flags (u16)
///      8 run   12 TAI seconds    16 quarter ns      20 zero       24 event (u64)
///
/// In a busy message, the flags field contains the board's number, and the type is 1 (busy) or 0 (not busy).
namespace softfeb::detector {

inline constexpr std::size_t kTriggerMessageSize = 32;
inline constexpr std::uint16_t kTriggerPort = 8194;  ///< UDP port

struct TriggerMessage {
  EventType type = EventType::kUnknown;
  bool end_of_run = false;  ///< if true, the run has ended, and this message is not a trigger
  std::uint32_t run = 0;
  EventTime time;
  std::uint64_t event = 0;  ///< if end_of_run is true: number of triggers in the run

  bool operator==(const TriggerMessage&) const = default;
};

struct BusyMessage {
  std::uint16_t board = 0;
  bool busy = false;
  std::uint32_t run = 0;
  EventTime time;
  std::uint64_t event = 0;  ///< last event number that the board has received

  bool operator==(const BusyMessage&) const = default;
};

/// Both functions write the 32 bytes of a message to `to`.
void write_trigger_message(const TriggerMessage& message, std::uint8_t* to);
void write_busy_message(const BusyMessage& message, std::uint8_t* to);

/// Both functions return nullopt if `datagram` does not have 32 bytes, if the magic or the version is wrong,
/// or if the time is invalid. read_busy_message() also returns nullopt if the type is neither 0 nor 1.
/// Unknown flags of a trigger are ignored.
std::optional<TriggerMessage> read_trigger_message(ByteSpan datagram);
std::optional<BusyMessage> read_busy_message(ByteSpan datagram);

/// Tells a board which trigger messages are new. The network may lose, repeat or reorder messages.
class TriggerOrder {
 public:
  /// Returns true if the event is new. An event number that is not above the last one is ignored. Skipped
  /// numbers count as lost triggers. The first event may have any number; all events before it count as lost.
  bool accept(std::uint64_t event);
  /// Call when the run has ended after `events` triggers. Triggers after the last accepted event count as
  /// lost.
  void end(std::uint64_t events);

  /// One more than the last event number; 0 before the first event.
  std::uint64_t next() const { return last_ ? *last_ + 1 : 0; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t ignored() const { return ignored_; }

 private:
  std::optional<std::uint64_t> last_;
  std::uint64_t lost_ = 0;
  std::uint64_t ignored_ = 0;
};

}  // namespace softfeb::detector
