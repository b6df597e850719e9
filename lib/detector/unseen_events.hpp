// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace softfeb::detector {

/// The triggers of which a builder has seen no fragment, as ranges. A number at or below the builder's
/// horizon can no longer be opened, so it is decided then whether it was ever seen. Above the horizon, only
/// the seen numbers are stored, which are events that are open or remembered. Memory is therefore bounded,
/// however long the run. Only the constructor allocates.
class UnseenEvents {
 public:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Range&) const = default;
  };

  /// `seen`: most numbers seen above the horizon. `ranges`: most ranges that are listed; the numbers in
  /// later ones are only counted.
  UnseenEvents(std::size_t seen, std::size_t ranges, std::pmr::memory_resource* memory);

  /// Call once for each number seen, which must be above the horizon.
  void add_seen(std::uint64_t number);
  /// Moves the horizon up to `horizon`, a number that was seen.
  void advance(std::uint64_t horizon);
  /// Decides the numbers below `sent`, the number of triggers, and drops those from `sent` on. Call once.
  void finish(std::uint64_t sent);

  /// Decided so far, in ascending order.
  std::span<const Range> ranges() const { return ranges_; }
  /// Numbers in ranges() and those that are not listed.
  std::uint64_t count() const { return listed_ + unlisted_; }
  /// Numbers that ranges() does not contain because the list is full.
  std::uint64_t unlisted() const { return unlisted_; }

 private:
  void decide_to(std::uint64_t last);
  void add_range(std::uint64_t first, std::uint64_t last);

  std::pmr::vector<std::uint64_t> seen_;  ///< heap, smallest first: numbers from next_ on
  std::pmr::vector<Range> ranges_;
  std::size_t most_ranges_;
  std::uint64_t next_ = 0;  ///< first number that is not decided
  bool all_decided_ = false;
  std::uint64_t listed_ = 0;
  std::uint64_t unlisted_ = 0;
  std::uint64_t unlisted_first_ = 0;
};

}  // namespace softfeb::detector
