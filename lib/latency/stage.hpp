// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// lib/latency measures how long messages take from stage to stage, sans-I/O. Start with Stage here, then
/// read Stamps (stamps.hpp), to which all parts report, and StageTable (stage_table.hpp), which joins what
/// they report. It may include only base.
namespace softfeb::latency {

/// Points on the path of a message, in order.
enum class Stage : std::uint8_t {
  kTriggered,  ///< t0: the trigger of its event, or the time at which it was due
  kPosted,     ///< t1: posted to the send queue
  kCrafted,    ///< t2: its first packet was crafted
  kSent,       ///< t3: the port took its last packet. Virtual time: the last bit is on the link
  kSwitchIn,   ///< t4: a switch has received its last packet completely. Virtual time only, as the next one
  kSwitchOut,  ///< t5: the last bit has left that switch
  kReceived,   ///< t6: its last packet was received from the port
  kPlaced,     ///< t7: its last byte is in memory
  kNotified,   ///< t8: the receiver was notified of it, or of the window or event to which it belongs
  kCompleted,  ///< t9: the requester has completed it
};

/// Switches on a path of which each has its own stages. Further ones are not recorded.
inline constexpr std::size_t kHops = 4;
/// Points of a record: the stages, with those of a switch once for each hop.
inline constexpr std::size_t kPoints = 8 + 2 * kHops;

/// Index of a point in a record. `hop` counts from 0; only switches have it.
constexpr std::size_t point_of(Stage stage, std::size_t hop = 0) {
  const auto s = static_cast<std::size_t>(stage);
  if (stage <= Stage::kSent) return s;
  if (stage <= Stage::kSwitchOut) return s + 2 * hop;
  return s + 2 * (kHops - 1);
}
static_assert(point_of(Stage::kCompleted) == kPoints - 1);

/// "sent", "switch_1_in", …
std::string point_name(std::size_t point);

/// A part of the path whose duration has a histogram, as two points.
struct Span {
  std::uint8_t from = 0;
  std::uint8_t to = 0;

  bool operator==(const Span&) const = default;
};

/// Each step of the path, then sums of several steps.
inline constexpr std::size_t kSpans = 5 + 3 * kHops + 6;
const std::array<Span, kSpans>& spans();

}  // namespace softfeb::latency
