// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::detector {

struct EventBuilderConfig {
  std::uint32_t boards = 1;
  std::uint32_t piece = 8192;  ///< bytes of every piece except the last piece of a board's data
  /// Largest data of a board in one event, in bytes. Fragments of larger data are rejected (kRejectedBounds).
  std::uint32_t largest = 32 * 1024;
  std::uint32_t window = 256;           ///< maximum number of events open at the same time
  Time timeout = 5 * kMillisecond;      ///< an incomplete event is closed this long after its first fragment
  std::uint32_t remember = 1024;        ///< number of closed events whose bitmaps are kept
  std::uint64_t slots = 0;              ///< number of events that fit in memory; 0 means no limit
  std::uint32_t builders = 1;           ///< number of builders; builder e mod `builders` builds event e
  std::uint32_t builder = 0;            ///< index of this builder
  std::size_t exact_latencies = 65536;  ///< number of values stored by LatencySummary, 8 bytes each
  std::size_t unseen_ranges = 4096;     ///< number of ranges stored by UnseenEvents, 16 bytes each
};

/// A builder's decision about a fragment. The values also serve as array indices.
enum class FragmentVerdict : std::uint8_t {
  kAccepted,
  kDuplicate,          ///< this piece has arrived before
  kLate,               ///< the event is closed, and this piece had not arrived before
  kStale,              ///< the event is not above the horizon, which is the highest forgotten event number
  kRejectedBoard,      ///< there is no such board
  kRejectedEvent,      ///< another builder builds this event
  kRejectedBounds,     ///< offset + length exceeds the total, or the total exceeds `largest`
  kRejectedAlignment,  ///< the offset or the length does not match the division into pieces
  kRejectedTotal,      ///< the total differs from the total in the board's first fragment
};
inline constexpr std::size_t kFragmentVerdicts = 9;

enum class EventStatus : std::uint8_t {
  kComplete,
  kTimeout,
  kPressure,  ///< a later event needed this event's slot, or `window` events were already open
  kEnd,       ///< the event was still open at the end of the run
};
inline constexpr std::size_t kEventStatuses = 4;

/// Both functions return the names that results contain: "accepted", "rejected_board", …, and "complete", ….
const char* to_string(FragmentVerdict verdict);
const char* to_string(EventStatus status);

}  // namespace softfeb::detector
