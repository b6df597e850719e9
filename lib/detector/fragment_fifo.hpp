// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/event_header.hpp"
#include "detector/event_layout.hpp"
#include "detector/ring.hpp"
#include "detector/trigger_sequence.hpp"

#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::detector {

struct FragmentFifoConfig {
  static constexpr std::uint32_t kNeverBusy = UINT32_MAX;

  EventLayout layout;
  std::uint16_t board = 0;             ///< below layout.boards
  Time window = 64 * kNanosecond;      ///< that a fragment covers: samples · sampling period
  Time readout_delay = kMicrosecond;   ///< from the end of the window until the fragment is ready
  std::uint32_t fifo = 16;             ///< fragments, at least 1
  std::uint32_t busy_at = kNeverBusy;  ///< fragments from which on the board is busy; kNeverBusy: drop
  std::uint32_t pipeline = 64;         ///< triggers in readout at once, at least 1; further ones are lost
  // Fields of all headers
  std::uint32_t run = 0;
  EventTime origin;  ///< TAI when traffic began
  PayloadKind kind = PayloadKind::kCounter;
  std::uint16_t channels = 0;
  std::uint16_t samples = 0;
};

/// One WRITE with immediate: a piece of a fragment with its header.
struct FragmentPiece {
  std::uint32_t place = 0;  ///< identifies the fragment until all its WRITEs have completed
  std::uint32_t index = 0;  ///< of the piece
  std::uint64_t event = 0;
  std::uint32_t builder = 0;
  std::uint64_t address = 0;  ///< of the header, in the memory of the builder
  std::uint32_t offset = 0;   ///< of the payload in the board's data
  std::uint32_t length = 0;   ///< payload bytes, without the header
  bool last = false;          ///< of its fragment

  std::uint32_t immediate() const { return static_cast<std::uint32_t>(event); }
  std::uint32_t message_length() const { return static_cast<std::uint32_t>(kEventHeaderSize) + length; }
};

struct FragmentFifoCounts {
  std::uint64_t triggers = 0;
  std::uint64_t entered = 0;          ///< fragments that have entered the FIFO
  std::uint64_t completed = 0;        ///< fragments that have left it
  std::uint64_t lost = 0;             ///< the FIFO was full, or too many triggers were in readout
  std::uint64_t lost_in_readout = 0;  ///< the latter alone
  std::uint64_t cut = 0;              ///< fragments that did not fit in their slot
  std::uint32_t most = 0;             ///< most fragments that were in the FIFO at once
  Time busy_time = 0;                 ///< of the busy intervals that have ended
};

/// The event buffer of a board. An accepted trigger starts the readout; once ready, the fragment enters the
/// FIFO. Its pieces leave in order, and its place is free again when all of them have completed. A fragment
/// that finds the FIFO full is lost; the headers of later fragments count it and have the flag kThrottled.
///
/// A header depends only on what is stored with the fragment, so a retransmission carries the same bytes.
/// Sans-I/O; only the constructor allocates. Times of calls must not decrease.
class FragmentFifo {
 public:
  /// Throws std::invalid_argument if a number of the configuration is out of its range.
  explicit FragmentFifo(const FragmentFifoConfig& config,
                        std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// Starts the readout of an accepted trigger; `bytes`: the board's data of this event. `flags`: further
  /// flags of its headers, such as kSuppressed and kNotSynchronised. Triggers must come in the order of their
  /// times.
  void trigger(const Trigger& trigger, std::uint32_t bytes, std::uint16_t flags = 0);
  /// Time at which the next fragment is ready; kNever if none is in readout.
  Time next_ready() const { return readout_.empty() ? kNever : readout_.front().ready; }
  /// Moves the fragments that are ready at or before `now` to the FIFO.
  void advance(Time now);

  /// True if a piece waits to be posted.
  bool has_piece() const { return !to_send_.empty(); }
  /// The next piece. Requires has_piece(). A piece whose queue pair has no room holds up those behind it, so
  /// give each queue pair room for all pieces of `fifo` fragments.
  FragmentPiece piece() const;
  /// Call when piece() was posted.
  void pop();
  /// Header of piece `index` of the fragment in `place`, until the fragment has completed.
  EventHeader header(std::uint32_t place, std::uint32_t index, std::uint32_t payload_crc) const;
  /// Event of the fragment in `place`.
  std::uint64_t event(std::uint32_t place) const { return places_[place].event; }
  /// Call when `pieces` WRITEs of this fragment have completed. Runs advance(now) first, so that a fragment
  /// that is ready at `now` does not find the place free yet. Returns true if all pieces have completed.
  bool complete(std::uint32_t place, Time now, std::uint32_t pieces = 1);

  /// True from `busy_at` fragments on.
  bool busy() const { return used_ >= config_.busy_at; }
  /// Time at which the board became busy. Requires busy().
  Time busy_since() const { return busy_since_; }
  std::uint32_t used() const { return used_; }
  const FragmentFifoCounts& counts() const { return counts_; }
  const FragmentFifoConfig& config() const { return config_; }

 private:
  struct Readout {
    Time ready = 0;
    Trigger trigger;
    std::uint32_t bytes = 0;
    std::uint16_t flags = 0;
  };
  struct Place {
    std::uint64_t event = 0;
    EventTime time;
    std::uint32_t total = 0;
    std::uint32_t lost = 0;
    std::uint16_t flags = 0;
    EventType type = EventType::kUnknown;
    std::uint32_t posted = 0;  ///< pieces
    std::uint32_t incomplete = 0;
  };

  void enter(const Readout& r);
  void lose();

  FragmentFifoConfig config_;
  std::uint32_t largest_;
  Ring<Readout> readout_;
  Ring<std::uint32_t> to_send_;  ///< places with pieces to post
  Ring<std::uint32_t> free_;     ///< places
  std::pmr::vector<Place> places_;
  std::uint32_t used_ = 0;
  Time window_end_ = 0;  ///< of the last trigger
  Time busy_since_ = 0;
  FragmentFifoCounts counts_;
};

}  // namespace softfeb::detector
