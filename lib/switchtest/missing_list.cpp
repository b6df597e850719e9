// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/missing_list.hpp"

#include <algorithm>

namespace softfeb::switchtest {

void MissingList::prepare() {
  frames_.clear();
  frames_.reserve(kMost);
}

void MissingList::skip(std::uint16_t kind, std::uint64_t from, std::uint64_t to, Time departed) {
  const std::uint64_t listed = std::min<std::uint64_t>(to - from, kMost - frames_.size());
  for (std::uint64_t s = from; s < from + listed; ++s) frames_.push_back({kind, s, departed});
}

void MissingList::found(std::uint16_t kind, std::uint64_t sequence) {
  // Search from the end, because a frame that arrives late was usually added to the list recently.
  const auto at = std::find_if(frames_.rbegin(), frames_.rend(), [&](const MissingFrame& f) {
    return f.kind == kind && f.sequence == sequence;
  });
  if (at != frames_.rend()) frames_.erase(std::next(at).base());
}

void list_last_frames(TrialResult& result) {
  for (std::size_t k = 0; k < result.kinds.size(); ++k) {
    const KindStats& stats = result.kinds[k];
    const std::uint64_t end = std::min(stats.sent, stats.next + MissingList::kMost);
    for (std::uint64_t s = stats.next; s < end; ++s)
      result.missing.push_back({static_cast<std::uint16_t>(k), s, kNever});
  }
}

}  // namespace softfeb::switchtest
