// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::roce {

/// Which of the messages 0, 1, 2, … did not arrive, as ranges. Holds at most as many ranges as it was given
/// room for; what did not fit is still counted, without its place. Late arrivals fill ranges. No allocation
/// after construction, not thread-safe.
class MessageMap {
 public:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  ///< inclusive
    bool operator==(const Range&) const = default;
  };

  explicit MessageMap(std::size_t capacity);

  /// Message `number` arrived whole.
  void arrived(std::uint64_t number);

  /// `total` messages were sent: those after the last arrival are missing too.
  void finish(std::uint64_t total);

  std::span<const Range> ranges() const { return ranges_; }  ///< ascending, apart from each other
  std::uint64_t missing() const { return listed_ + unlisted_; }
  std::uint64_t unlisted() const { return unlisted_; }    ///< missing, and in no range for want of room
  std::uint64_t received() const { return received_; }    ///< different messages
  std::uint64_t late() const { return late_; }            ///< of them after a later one
  std::uint64_t duplicate() const { return duplicate_; }  ///< arrived before
  /// Arrivals in a stretch of which some messages are missing without being listed: late or duplicate, nobody
  /// can tell. Counted here alone, so that missing() never says too little.
  std::uint64_t uncertain() const { return uncertain_; }
  std::uint64_t next() const { return next_; }  ///< one more than the highest message arrived or finished

 private:
  void miss(std::uint64_t first, std::uint64_t last);
  void not_listed(std::uint64_t first, std::uint64_t last);
  void fill(std::vector<Range>::iterator at, std::uint64_t number);

  std::size_t capacity_;
  std::vector<Range> ranges_;
  std::optional<Range> uncharted_;  ///< from the first to the last missing message that is not listed
  std::uint64_t next_ = 0;
  std::uint64_t listed_ = 0;
  std::uint64_t unlisted_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t duplicate_ = 0;
  std::uint64_t uncertain_ = 0;
};

/// The 64-bit number that a 32-bit counter (an immediate that counts messages) stands for: of all that end in
/// `counter` the one nearest to `near`. Nothing when that would be negative.
std::optional<std::uint64_t> unwrap_counter(std::uint32_t counter, std::uint64_t near);

}  // namespace softfeb::roce
