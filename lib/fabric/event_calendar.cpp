// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/event_calendar.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::fabric {

namespace {

/// Initial value of shift_: a day then has 2^15 ps, about 33 ns.
constexpr unsigned kFirstShift = 15;
/// Limits of shift_.
constexpr unsigned kShortest = 6, kLongest = 30;
/// The length of a day is adapted after kAdaptAfter days. The length stays the same if a day has between
/// kFewest and kMost events.
constexpr std::uint64_t kAdaptAfter = 1024, kFewest = 6, kMost = 32;

/// The order of events. This is a lambda because std::sort can inline it, unlike a function.
constexpr auto precedes = [](const EventCalendar::Entry& a, const EventCalendar::Entry& b) {
  return a.time != b.time ? a.time < b.time : a.party < b.party;
};

}  // namespace

EventCalendar::EventCalendar(std::size_t parties) : parties_(parties), shift_(kFirstShift) {
  lists_.fill(kNone);
  times_of_few_.fill(kNever);
  today_.reserve(2 * parties + 2);
  if (few()) today_.resize(1);
}

void EventCalendar::set_one_of_few(std::uint32_t party, Time time) {
  parties_[party].time = times_of_few_[party] = time;
  if (first_ != nullptr && party != first_->party && precedes(*first_, {time, party})) return;
  // Which party is first is hard to predict, so the loop has no branches.
  Entry first;
  for (std::uint32_t p = 0; p < parties_.size(); ++p) {
    const bool earlier = times_of_few_[p] < first.time;
    first.time = earlier ? times_of_few_[p] : first.time;
    first.party = earlier ? p : first.party;
  }
  today_.front() = first;
  first_ = first.time == kNever ? nullptr : today_.data();
}

void EventCalendar::link(std::uint32_t party, std::uint32_t day) {
  Party& p = parties_[party];
  p.day = day;
  p.before = kNone;
  p.after = lists_[day];
  if (p.after != kNone) parties_[p.after].before = party;
  lists_[day] = party;
  if (day < kDays) full_days_[day / 64] |= std::uint64_t{1} << day % 64;
}

void EventCalendar::unlink(std::uint32_t party) {
  const Party& p = parties_[party];
  if (p.day >= kToday && p.day != kFar) return;
  if (p.after != kNone) parties_[p.after].before = p.before;
  if (p.before != kNone) {
    parties_[p.before].after = p.after;
    return;
  }
  lists_[p.day] = p.after;
  if (p.day < kDays && p.after == kNone) full_days_[p.day / 64] &= ~(std::uint64_t{1} << p.day % 64);
}

void EventCalendar::move(std::uint32_t party, Time time) {
  unlink(party);
  parties_[party].time = time;
  place(party);
}

/// Inserts a party that is in no list into the list for its time.
void EventCalendar::place(std::uint32_t party) {
  Party& p = parties_[party];
  if (p.time == kNever) {
    p.day = kNowhere;
    return;
  }
  const std::uint64_t day = day_of(p.time);
  if (day <= today_number_) {
    p.day = kToday;
    insert_today({p.time, party});
  } else {
    link(party, day < year_end_ ? static_cast<std::uint32_t>(day % kDays) : kFar);
  }
}

/// Inserts an entry into today_, in order.
void EventCalendar::insert_today(Entry entry) {
  if (today_.size() == today_.capacity()) {
    const auto is_void = [this](const Entry& e) { return parties_[e.party].time != e.time; };
    const auto begin = today_.begin() + (first_ == nullptr ? 0 : first_ - today_.data());
    today_.erase(today_.begin(), begin);
    std::erase_if(today_, is_void);
    first_ = today_.empty() ? nullptr : today_.data();
  }
  const std::size_t from =
      first_ == nullptr ? today_.size() : static_cast<std::size_t>(first_ - today_.data());
  std::size_t at = today_.size();
  while (at > from && precedes(entry, today_[at - 1])) --at;
  // A party may return to a time that it had before. Its old entry for this time, which was void in the
  // meantime, may then still be in the list and is valid again.
  const bool there = at > from && !precedes(today_[at - 1], entry);
  if (!there) today_.insert(today_.begin() + static_cast<std::ptrdiff_t>(at), entry);
  if (first_ == nullptr) first_ = today_.data() + at;
}

/// Sets first_ to the earliest entry that is not void.
void EventCalendar::find_first() {
  Entry* const end = today_.data() + today_.size();
  for (Entry* e = first_ == nullptr ? end : first_; e != end; ++e) {
    if (parties_[e->party].time != e->time) continue;
    first_ = e;
    return;
  }
  first_ = nullptr;
  while (first_ == nullptr && begin_next_day()) continue;
}

/// Number of the next day in this year that has events; year_end_ if there is none.
std::uint64_t EventCalendar::next_full_day() const {
  for (std::uint64_t day = today_number_ + 1; day < year_end_;) {
    const std::uint64_t bits = full_days_[day % kDays / 64] >> day % 64;
    if (bits != 0) return std::min(year_end_, day + static_cast<unsigned>(std::countr_zero(bits)));
    day += 64 - day % 64;
  }
  return year_end_;
}

/// Begins the next day with events. Returns false if there is none.
bool EventCalendar::begin_next_day() {
  std::uint64_t next = next_full_day();
  if (next == year_end_) {
    if (lists_[kFar] == kNone) return false;
    Time first = kNever;
    for (std::uint32_t p = lists_[kFar]; p != kNone; p = parties_[p].after)
      first = std::min(first, parties_[p].time);
    next = day_of(first);
    begin_year_at(next);
  } else if (year_end_ - next < kDays / 2) {
    begin_year_at(next);
  }
  begin_day(next);
  if (counted_days_ >= kAdaptAfter) adapt();
  return true;
}

/// Makes the year begin on `day`, which must not be before the current day. Moves events that are now within
/// the year out of the list kFar.
void EventCalendar::begin_year_at(std::uint64_t day) {
  year_end_ = day + kDays;
  for (std::uint32_t p = lists_[kFar]; p != kNone;) {
    const std::uint32_t after = parties_[p].after;
    if (const std::uint64_t own = day_of(parties_[p].time); own < year_end_) {
      unlink(p);
      link(p, static_cast<std::uint32_t>(own % kDays));
    }
    p = after;
  }
}

void EventCalendar::begin_day(std::uint64_t number) {
  today_number_ = number;
  today_.clear();
  first_ = nullptr;
  const auto day = static_cast<std::uint32_t>(number % kDays);
  std::uint32_t p = lists_[day];
  lists_[day] = kNone;
  full_days_[day / 64] &= ~(std::uint64_t{1} << day % 64);
  while (p != kNone) {
    const std::uint32_t after = parties_[p].after;
    parties_[p].day = kToday;
    today_.push_back({parties_[p].time, p});
    p = after;
  }
  std::sort(today_.begin(), today_.end(), precedes);
  if (!today_.empty()) first_ = today_.data();
  ++days_begun_;
  ++counted_days_;
  counted_events_ += today_.size();
}

/// Halves the length of a day if there are too many events per day, or doubles it if there are too few. Then
/// inserts all events into the lists again.
void EventCalendar::adapt() {
  const std::uint64_t events = counted_events_ / counted_days_;
  counted_days_ = counted_events_ = 0;
  unsigned shift = shift_;
  if (events > kMost && shift_ > kShortest) --shift;
  if (events < kFewest && shift_ < kLongest) ++shift;
  if (shift == shift_) return;
  const Time now = first_->time;
  shift_ = shift;
  lists_.fill(kNone);
  full_days_.fill(0);
  today_.clear();
  first_ = nullptr;
  today_number_ = day_of(now);
  year_end_ = today_number_ + kDays;
  for (std::uint32_t p = 0; p < parties_.size(); ++p) {
    parties_[p].day = kNowhere;
    place(p);
  }
}

}  // namespace softfeb::fabric
