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
  std::uint16_t board = 0;            ///< index of this board, below layout.boards
  Time window = 64 * kNanosecond;     ///< time that a fragment covers: samples · sampling period
  Time readout_delay = kMicrosecond;  ///< time from the end of the window until the fragment is ready
  std::uint32_t fifo = 16;            ///< capacity of the FIFO in fragments, at least 1
  /// The board is busy while the FIFO contains at least this number of fragments. With kNeverBusy, the board
  /// is never busy, and loses the fragments that do not fit.
  std::uint32_t busy_at = kNeverBusy;
  /// Maximum number of triggers in readout, at least 1; further triggers are lost.
  std::uint32_t pipeline = 64;
  // Values for the event headers, the same for all fragments.
  std::uint32_t run = 0;
  EventTime origin;  ///< TAI at which traffic began
  PayloadKind kind = PayloadKind::kCounter;
  std::uint16_t channels = 0;
  std::uint16_t samples = 0;
};

/// One WRITE with immediate, which carries a piece of a fragment and its header.
struct FragmentPiece {
  std::uint32_t place = 0;  ///< identifies the fragment until all of its WRITEs have completed
  std::uint32_t index = 0;  ///< index of the piece in its fragment
  std::uint64_t event = 0;
  std::uint32_t builder = 0;
  std::uint64_t address = 0;  ///< address of the header in the builder's memory
  std::uint32_t offset = 0;   ///< offset of the payload in the board's data
  std::uint32_t length = 0;   ///< payload bytes, without the header
  bool last = false;          ///< true for the last piece of its fragment

  std::uint32_t immediate() const { return static_cast<std::uint32_t>(event); }
  std::uint32_t message_length() const { return static_cast<std::uint32_t>(kEventHeaderSize) + length; }
};

struct FragmentFifoCounts {
  std::uint64_t triggers = 0;
  std::uint64_t entered = 0;    ///< fragments that have entered the FIFO
  std::uint64_t completed = 0;  ///< fragments that have left the FIFO
  /// Fragments lost because the FIFO was full or too many triggers were in readout.
  std::uint64_t lost = 0;
  std::uint64_t lost_in_readout = 0;  ///< number of `lost` caused by too many triggers in readout
  std::uint64_t cut = 0;              ///< fragments that were truncated to fit in their slot
  std::uint32_t most = 0;             ///< largest number of fragments in the FIFO at the same time
  Time busy_time = 0;                 ///< sum of the busy intervals that have ended
};

/// The event buffer of a board. An accepted trigger starts the readout. When the readout ends, the fragment
/// enters the FIFO. The fragment's pieces are sent in order, and its place in the FIFO is free again when all
/// pieces have completed. If the FIFO is full, the fragment is lost; the headers of later fragments contain
/// the number of lost fragments and the flag kThrottled.
///
/// A header depends only on the configuration and on what is stored with the fragment, so a retransmission
/// carries the same bytes. Sans-I/O; only the constructor allocates. The times passed to successive calls
/// must not decrease.
class FragmentFifo {
 public:
  /// Throws std::invalid_argument if a number of the configuration is out of its range.
  explicit FragmentFifo(const FragmentFifoConfig& config,
                        std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// Sets TAI at time 0, for the headers of fragments that enter the FIFO from now on.
  void set_origin(EventTime origin) { config_.origin = origin; }

  /// Starts the readout for an accepted trigger. `bytes` is the length of the board's data for this event.
  /// `flags` contains the header flags that this class does not determine itself: kSuppressed and
  /// kNotSynchronised. Calls must be in the order of trigger times.
  void trigger(const Trigger& trigger, std::uint32_t bytes, std::uint16_t flags = 0);
  /// Time at which the next fragment is ready; kNever if none is in readout.
  Time next_ready() const { return readout_.empty() ? kNever : readout_.front().ready; }
  /// Moves the fragments whose readout ends at or before `now` to the FIFO.
  void advance(Time now);

  /// True if a piece is ready to be posted.
  bool has_piece() const { return !to_send_.empty(); }
  /// Returns the next piece. Requires has_piece(). If the queue pair of a piece has no room, the pieces after
  /// it also wait. Therefore each queue pair should have room for all pieces of `fifo` fragments.
  FragmentPiece piece() const;
  /// Call after posting the piece that piece() returned.
  void pop();
  /// Returns the header of piece `index` of the fragment in `place`. Call only while the fragment has not
  /// completed.
  EventHeader header(std::uint32_t place, std::uint32_t index, std::uint32_t payload_crc) const;
  /// Event number of the fragment in `place`.
  std::uint64_t event(std::uint32_t place) const { return places_[place].event; }
  /// Trigger time of the fragment in `place`, as in its header.
  EventTime time(std::uint32_t place) const { return places_[place].time; }
  /// Call when `pieces` WRITEs of the fragment in `place` have completed. Calls advance(now) first, so a
  /// fragment that becomes ready exactly at `now` cannot use the place that this call frees. Returns true if
  /// all pieces have completed.
  bool complete(std::uint32_t place, Time now, std::uint32_t pieces = 1);

  /// True if the FIFO contains `busy_at` or more fragments.
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
    std::uint32_t posted = 0;  ///< number of pieces posted
    std::uint32_t incomplete = 0;
  };

  void enter(const Readout& r);
  void lose();

  FragmentFifoConfig config_;
  std::uint32_t largest_;
  Ring<Readout> readout_;
  Ring<std::uint32_t> to_send_;  ///< places whose fragments have pieces to post
  Ring<std::uint32_t> free_;     ///< free places
  std::pmr::vector<Place> places_;
  std::uint32_t used_ = 0;
  Time window_end_ = 0;  ///< end of the window of the last trigger
  Time busy_since_ = 0;
  FragmentFifoCounts counts_;
};

}  // namespace softfeb::detector
