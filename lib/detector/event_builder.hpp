// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/divider.hpp"
#include "base/time.hpp"
#include "detector/event_builder_config.hpp"
#include "detector/event_table.hpp"
#include "detector/latency_summary.hpp"
#include "detector/unseen_events.hpp"

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::detector {

/// The fields of a received fragment. Its header has been checked (event_header.hpp), but the numbers in it
/// may still be wrong. Lengths are in bytes.
struct Fragment {
  std::uint64_t event = 0;
  std::uint32_t board = 0;
  std::uint32_t offset = 0;  ///< offset of this piece in the board's data
  std::uint32_t length = 0;
  std::uint32_t total = 0;  ///< length of the board's data; 0 if the board has nothing to report
  Time trigger = 0;
};

/// An event at the moment it closes. Valid only during the call of EventSink::on_closed().
class ClosedEvent {
 public:
  ClosedEvent(const EventTable& table, EventTable::Index i, std::uint32_t piece, EventStatus status, Time at)
      : table_(&table), index_(i), piece_(piece), status_(status), at_(at) {}

  std::uint64_t event() const { return table_->event(index_).number; }
  EventStatus status() const { return status_; }
  Time at() const { return at_; }
  /// Arrival of the first fragment.
  Time first() const { return table_->event(index_).first; }

  std::uint32_t boards() const { return table_->boards(); }
  std::uint32_t missing_boards() const { return boards() - table_->event(index_).whole; }
  /// True if anything arrived from this board. If false, the other properties of its data are unknown.
  bool arrived(std::uint32_t board) const { return table_->board(index_, board).arrived != 0; }
  std::uint32_t total(std::uint32_t board) const { return table_->board(index_, board).total; }
  /// Number of pieces that carry this board's data, at least 1.
  std::uint32_t pieces(std::uint32_t board) const;
  /// True if all pieces of this board's data have arrived.
  bool whole(std::uint32_t board) const;
  /// Both functions search from `piece` on. They return the first piece that is missing (find_missing) or has
  /// arrived (find_present), or pieces() if there is none. Alternate calls of the two functions find the
  /// ranges of missing pieces.
  std::uint32_t find_missing(std::uint32_t board, std::uint32_t piece) const {
    return table_->find_piece(index_, board, piece, pieces(board), false);
  }
  std::uint32_t find_present(std::uint32_t board, std::uint32_t piece) const {
    return table_->find_piece(index_, board, piece, pieces(board), true);
  }

 private:
  const EventTable* table_;
  EventTable::Index index_;
  std::uint32_t piece_;
  EventStatus status_;
  Time at_;
};

/// Receives events in the order in which they close. Must not call the builder.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_closed(const ClosedEvent& event) = 0;
};

struct EventBuilderCounts {
  std::uint64_t fragments = 0;
  std::array<std::uint64_t, kFragmentVerdicts> by_verdict{};
  std::uint64_t bytes = 0;   ///< payload bytes of accepted fragments
  std::uint64_t opened = 0;  ///< number of events opened
  std::array<std::uint64_t, kEventStatuses> by_status{};
  /// Complete events whose trigger time is after their completion, because the clocks differ. Their latency
  /// counts as 0.
  std::uint64_t early = 0;
  /// Number of calls whose time is before the time of an earlier call. The earlier call's time is then used.
  std::uint64_t clock_steps = 0;

  std::uint64_t operator[](FragmentVerdict v) const { return by_verdict[static_cast<std::size_t>(v)]; }
  std::uint64_t operator[](EventStatus s) const { return by_status[static_cast<std::size_t>(s)]; }
};

/// Builds events from the fragments of all boards, and detects complete events and missing, late and
/// duplicate fragments.
///
/// An event is open from its first fragment until it is complete or `timeout` has expired. When an event
/// begins, the builder closes the open event that occupies the same slot in memory. If there is none and
/// `window` events are open, it closes the event that was opened first. The builder keeps the bitmaps of the
/// last `remember` closed events, to distinguish late fragments from duplicates. Once a closed event is
/// forgotten, events with the same or lower numbers can no longer be opened, so no event closes twice.
///
/// Sans-I/O; only the constructor allocates. For each of window + remember events, it allocates 8 bytes and a
/// bitmap of pieces for each board.
class EventBuilder {
 public:
  /// `sink` may be null. Throws std::invalid_argument if `boards`, `piece`, `window` or `builders` is 0, or
  /// if `builder` is not below `builders`.
  EventBuilder(const EventBuilderConfig& config, EventSink* sink,
               std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// Closes the events whose timeout expires at or before `now`.
  void advance(Time now);
  /// Time of the next timeout; kNever if no event is open.
  Time deadline() const;
  /// Closes the events whose timeout has expired. Then checks a fragment that arrived at `now`, adds the
  /// fragment to its event if it is acceptable, and returns the verdict.
  FragmentVerdict add(Time now, const Fragment& fragment);
  /// Ends the run and closes all open events. `sent` is the number of triggers of the run, for all builders.
  /// If the caller does not know this number (nullopt), the builder assumes one more than the highest event
  /// number seen. Call once, after all other calls.
  void finish(Time now, std::optional<std::uint64_t> sent);

  const EventBuilderCounts& counts() const { return counts_; }
  std::size_t open_events() const { return open_.size(); }
  LatencySummary& latencies() { return latencies_; }
  const LatencySummary& latencies() const { return latencies_; }
  /// Triggers for which no fragment arrived. The numbers count only the events of this builder: number k is
  /// event k · `builders` + `builder`.
  const UnseenEvents& unseen() const { return unseen_; }

 private:
  using Index = EventTable::Index;
  static constexpr Index kNone = EventTable::kNone;

  FragmentVerdict judge(const Fragment& f);
  FragmentVerdict check_bounds(const Fragment& f) const;
  bool stale(std::uint64_t event) const { return horizon_ && event <= *horizon_; }
  FragmentVerdict add_to_closed(Index i, const Fragment& f) const;
  FragmentVerdict add_to_open(Index i, const Fragment& f);
  Index open(std::uint64_t event);
  void make_room(std::uint64_t event);
  void complete(Index i, Time trigger);
  void close(Index i, Time at, EventStatus status);
  void forget_oldest();
  Time tick(Time now);
  Index* slot(std::uint64_t event);

  EventBuilderConfig config_;
  EventSink* sink_;
  Divider piece_;
  Divider builders_;
  EventTable table_;
  EventList open_;
  EventList closed_;
  std::pmr::vector<Index> slots_;  ///< the open event in each slot
  UnseenEvents unseen_;
  LatencySummary latencies_;
  std::optional<std::uint64_t> horizon_;
  std::uint64_t highest_ = 0;
  Time now_ = 0;
  EventBuilderCounts counts_;
};

}  // namespace softfeb::detector
