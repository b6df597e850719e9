// SPDX-License-Identifier: BSD-3-Clause
#include "detector/unseen_events.hpp"

#include <algorithm>
#include <functional>

namespace softfeb::detector {

UnseenEvents::UnseenEvents(std::size_t seen, std::size_t ranges, std::pmr::memory_resource* memory)
    : seen_(memory), ranges_(memory), most_ranges_(ranges) {
  seen_.reserve(seen);
  ranges_.reserve(ranges);
}

void UnseenEvents::add_seen(std::uint64_t number) {
  seen_.push_back(number);
  std::push_heap(seen_.begin(), seen_.end(), std::greater<>());
}

void UnseenEvents::advance(std::uint64_t horizon) { decide_to(horizon); }

void UnseenEvents::decide_to(std::uint64_t last) {
  while (!seen_.empty() && seen_.front() <= last) {
    const std::uint64_t number = seen_.front();
    std::pop_heap(seen_.begin(), seen_.end(), std::greater<>());
    seen_.pop_back();
    if (number > next_) add_range(next_, number - 1);
    next_ = number + 1;
    all_decided_ = number == UINT64_MAX;
  }
  if (all_decided_ || next_ > last) return;
  add_range(next_, last);
  next_ = last + 1;
  all_decided_ = last == UINT64_MAX;
}

void UnseenEvents::add_range(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t count = last - first + 1;
  if (ranges_.size() < most_ranges_) {
    ranges_.push_back({first, last});
    listed_ += count;
    return;
  }
  if (unlisted_ == 0) unlisted_first_ = first;
  unlisted_ += count;
}

void UnseenEvents::finish(std::uint64_t sent) {
  if (sent != 0 && !all_decided_ && next_ < sent) decide_to(sent - 1);
  // Fragments with wrong event numbers may have moved the horizon beyond the last trigger.
  while (!ranges_.empty() && ranges_.back().first >= sent) {
    listed_ -= ranges_.back().last - ranges_.back().first + 1;
    ranges_.pop_back();
  }
  if (!ranges_.empty() && ranges_.back().last >= sent) {
    listed_ -= ranges_.back().last - sent + 1;
    ranges_.back().last = sent - 1;
  }
  if (unlisted_ != 0) unlisted_ = unlisted_first_ >= sent ? 0 : std::min(unlisted_, sent - unlisted_first_);
}

}  // namespace softfeb::detector
