// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "eventfile/hdf5.hpp"

#include <bit>
#include <cstdint>

/// Rows of the tables of an event file, with the same layout as in the file (doc/events.md).
namespace softfeb::eventfile {

static_assert(std::endian::native == std::endian::little, "rows are written as they are in memory");

/// A row of /events.
struct EventRow {
  std::uint64_t event = 0;
  std::uint32_t seconds = 0;     ///< time of the trigger, TAI
  std::uint32_t quarter_ns = 0;  ///< fraction of the second, in quarter nanoseconds
  /// Time from the trigger to the completion of the event; -1 if the event is not complete.
  std::int64_t latency_ns = -1;
  std::uint64_t first_fragment = 0;
  std::uint32_t fragments = 0;
  std::uint16_t boards = 0;  ///< number of boards whose data have arrived completely
  std::uint8_t type = 0;     ///< detector::EventType
  std::uint8_t status = 0;   ///< detector::EventStatus
};
static_assert(sizeof(EventRow) == 40);

enum class FragmentStatus : std::uint8_t { kWhole, kPiecesMissing };

/// A row of /fragments: the data of one board in one event.
struct FragmentRow {
  std::uint64_t event = 0;
  std::uint64_t offset = 0;  ///< index in /data of the first byte of the data
  std::uint32_t length = 0;  ///< length in bytes
  std::uint32_t missing_pieces = 0;
  std::uint16_t board = 0;
  std::uint16_t flags = 0;  ///< detector::EventFlag
  std::uint8_t kind = 0;    ///< detector::PayloadKind
  std::uint8_t status = 0;  ///< FragmentStatus
  std::uint16_t unused = 0;
};
static_assert(sizeof(FragmentRow) == 32);

/// HDF5 types of the rows. Callers must hold the lock of hdf5_lock().
TypeHandle event_type();     ///< EventRow
TypeHandle fragment_type();  ///< FragmentRow

}  // namespace softfeb::eventfile
