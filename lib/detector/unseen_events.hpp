// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace softfeb::detector {

/// The events for which a builder has received no fragment. The horizon is the highest number of a closed
/// event that the builder has forgotten. Events up to the horizon can no longer be opened, so this class
/// stores the ranges of numbers that were not seen. Above the horizon, it stores the numbers that were seen;
/// these events are open or remembered. The memory is therefore bounded, no matter how long the run is. Only
/// the constructor allocates.
class UnseenEvents {
 public:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Range&) const = default;
  };

  /// `seen` is the maximum number of events seen above the horizon. `ranges` is the maximum number of ranges
  /// to store; unseen numbers outside these ranges are only counted.
  UnseenEvents(std::size_t seen, std::size_t ranges, std::pmr::memory_resource* memory);

  /// Call once for each number seen, which must be above the horizon.
  void add_seen(std::uint64_t number);
  /// Moves the horizon up to `horizon`, which must be a number that was seen.
  void advance(std::uint64_t horizon);
  /// Ends the run: all numbers below `sent`, the number of triggers, are now either seen or unseen. Numbers
  /// from `sent` on are dropped. Call once.
  void finish(std::uint64_t sent);

  /// Ranges of unseen numbers in ascending order, up to the horizon or, after finish(), below `sent`. Does
  /// not contain the numbers that unlisted() counts.
  std::span<const Range> ranges() const { return ranges_; }
  /// Number of unseen events, including those that ranges() does not contain.
  std::uint64_t count() const { return listed_ + unlisted_; }
  /// Number of unseen events that ranges() does not contain because the list is full.
  std::uint64_t unlisted() const { return unlisted_; }

 private:
  void decide_to(std::uint64_t last);
  void add_range(std::uint64_t first, std::uint64_t last);

  std::pmr::vector<std::uint64_t> seen_;  ///< heap of seen numbers from next_ on, smallest first
  std::pmr::vector<Range> ranges_;
  std::size_t most_ranges_;
  std::uint64_t next_ = 0;  ///< first number above the horizon
  bool all_decided_ = false;
  std::uint64_t listed_ = 0;
  std::uint64_t unlisted_ = 0;
  std::uint64_t unlisted_first_ = 0;
};

}  // namespace softfeb::detector
