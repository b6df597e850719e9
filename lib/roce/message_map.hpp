// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::roce {

/// Tracks which of the messages 0, 1, 2, … did not arrive, in a list of ranges with limited capacity. Missing
/// messages that do not fit into the list are counted, but their numbers are not stored. When a missing
/// message arrives late, it is removed from its range. Does not allocate after construction. Not thread-safe.
class MessageMap {
 public:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  ///< last message of the range, inclusive
    bool operator==(const Range&) const = default;
  };

  explicit MessageMap(std::size_t capacity);

  /// Call when message `number` has arrived completely.
  void arrived(std::uint64_t number);

  /// Call after the last message. `total` is the number of messages sent. Messages after the last arrival are
  /// then counted as missing.
  void finish(std::uint64_t total);

  /// Ranges of missing messages, in ascending order and not adjacent.
  std::span<const Range> ranges() const { return ranges_; }
  std::uint64_t missing() const { return listed_ + unlisted_; }
  std::uint64_t unlisted() const { return unlisted_; }  ///< missing messages that did not fit into the list
  /// Distinct messages that arrived, not counting uncertain() arrivals.
  std::uint64_t received() const { return received_; }
  std::uint64_t late() const { return late_; }  ///< messages received after a later message or after finish()
  std::uint64_t duplicate() const { return duplicate_; }  ///< repeated arrivals of received messages
  /// Number of messages that arrived in the range from the first to the last unlisted missing message. The
  /// map cannot tell whether such an arrival is late or a duplicate, so the arrival is counted only here.
  /// missing() may therefore be too high, but is never too low.
  std::uint64_t uncertain() const { return uncertain_; }
  /// One more than the highest message number that has arrived; after finish(), at least `total`.
  std::uint64_t next() const { return next_; }

  /// Copies the map to or from another process (base/archive.hpp).
  template <class Archive>
  void archive(Archive& a) {
    a.list(ranges_);
    a.item(uncharted_);
    for (std::uint64_t* const count :
         {&next_, &listed_, &unlisted_, &received_, &late_, &duplicate_, &uncertain_})
      a.item(*count);
  }

 private:
  void miss(std::uint64_t first, std::uint64_t last);
  void not_listed(std::uint64_t first, std::uint64_t last);
  void fill(std::vector<Range>::iterator at, std::uint64_t number);

  std::size_t capacity_;
  std::vector<Range> ranges_;
  std::optional<Range> uncharted_;  ///< range from the first to the last unlisted missing message
  std::uint64_t next_ = 0;
  std::uint64_t listed_ = 0;
  std::uint64_t unlisted_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t duplicate_ = 0;
  std::uint64_t uncertain_ = 0;
};

/// Extends a 32-bit counter (an immediate that counts messages) to the 64-bit number that has these low 32
/// bits and is nearest to `near`. Returns nullopt if that number would be negative.
std::optional<std::uint64_t> unwrap_counter(std::uint32_t counter, std::uint64_t near);

}  // namespace softfeb::roce
