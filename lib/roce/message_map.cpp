// SPDX-License-Identifier: BSD-3-Clause
#include "roce/message_map.hpp"

#include <algorithm>

namespace softfeb::roce {

MessageMap::MessageMap(std::size_t capacity) : capacity_(capacity) { ranges_.reserve(capacity); }

void MessageMap::arrived(std::uint64_t number) {
  if (number >= next_) {
    if (number > next_) miss(next_, number - 1);
    next_ = number + 1;
    ++received_;
    return;
  }
  const auto at = std::lower_bound(ranges_.begin(), ranges_.end(), number,
                                   [](const Range& r, std::uint64_t n) { return r.last < n; });
  if (at != ranges_.end() && at->first <= number) {
    fill(at, number);
    ++received_;
    ++late_;
  } else if (uncharted_ && uncharted_->first <= number && number <= uncharted_->last) {
    ++uncertain_;
  } else {
    ++duplicate_;
  }
}

void MessageMap::finish(std::uint64_t total) {
  if (total <= next_) return;
  miss(next_, total - 1);
  next_ = total;
}

void MessageMap::miss(std::uint64_t first, std::uint64_t last) {
  if (!ranges_.empty() && ranges_.back().last + 1 == first) {
    ranges_.back().last = last;
  } else if (ranges_.size() < capacity_) {
    ranges_.push_back({first, last});
  } else {
    not_listed(first, last);
    return;
  }
  listed_ += last - first + 1;
}

void MessageMap::not_listed(std::uint64_t first, std::uint64_t last) {
  unlisted_ += last - first + 1;
  if (!uncharted_) uncharted_ = Range{first, last};
  uncharted_->first = std::min(uncharted_->first, first);
  uncharted_->last = std::max(uncharted_->last, last);
}

void MessageMap::fill(std::vector<Range>::iterator at, std::uint64_t number) {
  --listed_;
  const Range old = *at;
  if (old.first == old.last) {
    ranges_.erase(at);
  } else if (number == old.first) {
    ++at->first;
  } else if (number == old.last) {
    --at->last;
  } else {
    at->last = number - 1;
    if (ranges_.size() < capacity_) {
      ranges_.insert(at + 1, {number + 1, old.last});
    } else {
      listed_ -= old.last - number;
      not_listed(number + 1, old.last);
    }
  }
}

std::optional<std::uint64_t> unwrap_counter(std::uint32_t counter, std::uint64_t near) {
  const auto distance = static_cast<std::int32_t>(counter - static_cast<std::uint32_t>(near));
  if (distance < 0 && static_cast<std::uint64_t>(-std::int64_t{distance}) > near) return std::nullopt;
  return near + static_cast<std::uint64_t>(std::int64_t{distance});
}

}  // namespace softfeb::roce
