// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// lib/latency measures how long messages take from each stage to the next. It does no I/O itself (sans-I/O).
/// Start with Stage here. Then read Stamps (stamps.hpp), to which all components report the times of
/// messages, and StageTable (stage_table.hpp), which combines these times for each message. The library may
/// include only lib/base.
namespace softfeb::latency {

/// Points on the path of a message, in order.
enum class Stage : std::uint8_t {
  kTriggered,  ///< t0: the event to which the message belongs was triggered, or the message was due
  kPosted,     ///< t1: the message was posted to the send queue
  kCrafted,    ///< t2: the first packet of the message was crafted
  kSent,       ///< t3: the port accepted the last packet; in virtual time: the last bit of this packet left
  kSwitchIn,   ///< t4: a switch received the last packet completely. Only in virtual time
  kSwitchOut,  ///< t5: the last bit of the last packet left this switch. Only in virtual time
  kReceived,   ///< t6: the last packet was received from the port
  kPlaced,     ///< t7: the last byte of the message is in memory
  kNotified,   ///< t8: the receiver was notified of the message, or of its window or event
  kCompleted,  ///< t9: the requester completed the message
};

/// Number of switches on a path for which stages are recorded. Stages of further switches are ignored.
inline constexpr std::size_t kHops = 4;
/// Number of points in a record. kSwitchIn and kSwitchOut have one point for each hop; each of the other
/// eight stages has one point.
inline constexpr std::size_t kPoints = 8 + 2 * kHops;

/// Index of a point in a record. `hop` counts from 0, and is used only for the stages of a switch.
constexpr std::size_t point_of(Stage stage, std::size_t hop = 0) {
  const auto s = static_cast<std::size_t>(stage);
  if (stage <= Stage::kSent) return s;
  if (stage <= Stage::kSwitchOut) return s + 2 * hop;
  return s + 2 * (kHops - 1);
}
static_assert(point_of(Stage::kCompleted) == kPoints - 1);

/// Returns the name of a point: "sent", "switch_1_in", …
std::string point_name(std::size_t point);

/// A section of the path, from one point (point_of()) to another. Each span has a histogram of its duration.
struct Span {
  std::uint8_t from = 0;
  std::uint8_t to = 0;

  bool operator==(const Span&) const = default;
};

/// The spans: first each step of the path, then sums of several steps.
inline constexpr std::size_t kSpans = 5 + 3 * kHops + 6;
const std::array<Span, kSpans>& spans();

}  // namespace softfeb::latency
