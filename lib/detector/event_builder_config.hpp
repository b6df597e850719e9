// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::detector {

struct EventBuilderConfig {
  std::uint32_t boards = 1;
  std::uint32_t piece = 8192;           ///< bytes of every piece of a board's data but the last
  std::uint32_t largest = 32 * 1024;    ///< most bytes of a board in an event; more are `rejected_bounds`
  std::uint32_t window = 256;           ///< most events that are open at once
  Time timeout = 5 * kMillisecond;      ///< after an event's first fragment
  std::uint32_t remember = 1024;        ///< closed events that keep their bitmaps
  std::uint64_t slots = 0;              ///< events that fit in memory; 0: no limit
  std::uint32_t builders = 1;           ///< event e belongs to builder e mod `builders`
  std::uint32_t builder = 0;            ///< index of this one
  std::size_t exact_latencies = 65536;  ///< see LatencySummary; 8 bytes each
  std::size_t unseen_ranges = 4096;     ///< see UnseenEvents; 16 bytes each
};

/// A builder's decision about a fragment. The values are also indices.
enum class FragmentVerdict : std::uint8_t {
  kAccepted,
  kDuplicate,          ///< this piece had arrived before
  kLate,               ///< of a closed event, and had not arrived
  kStale,              ///< of an event not above the horizon, the highest number forgotten
  kRejectedBoard,      ///< unknown board
  kRejectedEvent,      ///< of another builder's event
  kRejectedBounds,     ///< offset + length exceeds the total, or the total exceeds the largest
  kRejectedAlignment,  ///< not exactly a piece
  kRejectedTotal,      ///< another total than the board's first fragment
};
inline constexpr std::size_t kFragmentVerdicts = 9;

enum class EventStatus : std::uint8_t {
  kComplete,
  kTimeout,
  kPressure,  ///< its slot or its place in the window was needed for a later event
  kEnd,       ///< still open at the end of the run
};
inline constexpr std::size_t kEventStatuses = 4;

/// The names in results: "accepted", "rejected_board", …; "complete", ….
const char* to_string(FragmentVerdict verdict);
const char* to_string(EventStatus status);

}  // namespace softfeb::detector
