// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::fabric {

/// Stores the time of the next event of each party (a numbered source of events), and finds the earliest
/// event. Does the same as EventTree, in the same order, but is meant for many parties: an update touches two
/// cache lines instead of a path through a tree. coming() returns the events that follow the earliest event,
/// so the caller can prefetch the data that these events need.
///
/// A calendar queue (R. Brown, Communications of the ACM 31(10), 1988): time is divided into days of equal
/// length. The events of the current day are sorted. Events of the other days in the current year are in
/// unsorted lists, one for each day. Events beyond the year share another list. The length of a day adapts to
/// the number of events. Does not allocate after construction.
///
/// With at most kFew parties, there are no days: comparing the times of all parties takes less time.
class EventCalendar {
 public:
  explicit EventCalendar(std::size_t parties);

  Time time() const { return first_ == nullptr ? kNever : first_->time; }  ///< kNever if there is no event
  std::uint32_t party() const { return first_ == nullptr ? 0 : first_->party; }
  Time time_of(std::uint32_t party) const { return parties_[party].time; }

  void set(std::uint32_t party, Time time) {
    if (parties_[party].time == time) return;
    if (few()) return set_one_of_few(party, time);
    move(party, time);
    if (first_ == nullptr || parties_[first_->party].time != first_->time) find_first();
  }

  struct Entry {
    Time time = kNever;
    std::uint32_t party = 0;
  };
  /// Returns the events that follow the earliest event on the same day, in order. The result may contain
  /// events that have been cancelled or moved to another time.
  std::span<const Entry> coming() const {
    return first_ == nullptr ? std::span<const Entry>()
                             : std::span<const Entry>(first_ + 1, today_.data() + today_.size());
  }
  /// Number of days begun so far. Changes when coming() refers to another day.
  std::uint64_t day() const { return days_begun_; }

 private:
  static constexpr std::uint32_t kDays = 4096;  ///< number of days in a year
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Values of Party::day for parties that are not in the list of a day of the year: kToday for an event in
  /// today_, kFar for an event beyond the year, and kNowhere for a party without an event.
  static constexpr std::uint32_t kToday = kDays, kFar = kDays + 1, kNowhere = kDays + 2;

  struct Party {
    Time time = kNever;
    std::uint32_t before = kNone, after = kNone;  ///< neighbours in the list of the day
    std::uint32_t day = kNowhere;
  };

  static constexpr std::size_t kFew = 16;

  bool few() const { return parties_.size() <= kFew; }
  void set_one_of_few(std::uint32_t party, Time time);
  void move(std::uint32_t party, Time time);
  void place(std::uint32_t party);
  void link(std::uint32_t party, std::uint32_t day);
  void unlink(std::uint32_t party);
  void insert_today(Entry entry);
  void find_first();
  bool begin_next_day();
  void begin_day(std::uint64_t number);
  std::uint64_t next_full_day() const;
  void begin_year_at(std::uint64_t day);
  void adapt();

  std::uint64_t day_of(Time time) const { return static_cast<std::uint64_t>(time) >> shift_; }

  std::vector<Party> parties_;
  std::array<Time, kFew> times_of_few_;                ///< indexed by party; used only with few parties
  std::array<std::uint32_t, kDays + 2> lists_;         ///< first party in the list of each day, and of kFar
  std::array<std::uint64_t, kDays / 64> full_days_{};  ///< bit mask of the days whose lists are not empty
  /// Events of the current day, sorted. An entry is void if the time of its party has changed. With few
  /// parties, contains only the earliest event.
  std::vector<Entry> today_;
  Entry* first_ = nullptr;          ///< earliest event, in today_; null if there is none
  std::uint64_t today_number_ = 0;  ///< number of the current day
  std::uint64_t year_end_ = kDays;  ///< number of the first day whose events are in the list kFar
  unsigned shift_;                  ///< a day has 2^shift_ picoseconds
  std::uint64_t days_begun_ = 0;
  std::uint64_t counted_days_ = 0;    ///< number of days begun since adapt() was last called
  std::uint64_t counted_events_ = 0;  ///< number of events on these days
};

}  // namespace softfeb::fabric
