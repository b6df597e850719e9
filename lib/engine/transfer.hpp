// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// Sum of the times of events. The mean latency from events of one kind to events of another kind is the
/// difference of the two sums, divided by the number of events, which must be the same for both kinds. Events
/// therefore need not be stored.
struct TimeSum {
  std::uint64_t count = 0;
  Uint128 sum = 0;

  void add(Time at) {
    ++count;
    sum += at;
  }
};

/// Times at which transfers were posted. Shared by the queue pairs of one board.
struct TransferTimes {
  TimeSum posted;
  /// Time from the posting of a transfer until a queue pair gets the first work request of this transfer.
  Time post_delay = 0;
};

/// Tracks the progress of the queue pairs of a group, and ensures that none of them runs ahead: the memory of
/// a transfer is reused only when that transfer is complete. Over UC, a message is complete when it has been
/// sent.
class TransferProgress {
 public:
  /// Interval at which a queue pair that must wait for other queue pairs tries again. The other queue pairs
  /// do not wake it.
  static constexpr Time kRetry = kMicrosecond;

  TransferProgress(std::uint32_t segments, std::uint32_t group, std::uint64_t slots)
      : completed_(group), segments_(segments), slots_(slots) {}

  /// True if messages of transfer `op` may be posted.
  bool may_begin(std::uint64_t op) {
    while (op >= complete_ + slots_ && next_is_complete()) ++complete_;
    return op < complete_ + slots_;
  }
  /// Number of complete transfers. A transfer counts only if its messages and those of all earlier transfers
  /// are complete.
  std::uint64_t complete() {
    while (next_is_complete()) ++complete_;
    return complete_;
  }
  /// Call when queue pair `i` has completed its first `messages` messages.
  void completed(std::uint32_t i, std::uint64_t messages) { completed_[i] = messages; }

  Time retry_at() const { return retry_at_; }
  void wait(Time now) { retry_at_ = now + kRetry; }

 private:
  bool next_is_complete() const {
    const std::uint64_t end = (complete_ + 1) * segments_;
    const std::uint64_t group = completed_.size();
    for (std::uint64_t i = 0; i < group && i < end; ++i) {
      if (completed_[i] < (end - i + group - 1) / group) return false;
    }
    return true;
  }

  std::vector<std::uint64_t> completed_;  ///< number of completed messages per queue pair
  std::uint64_t segments_;
  std::uint64_t slots_;
  std::uint64_t complete_ = 0;  ///< number of complete transfers
  Time retry_at_ = 0;
};

/// Defines how the messages of a group of queue pairs form transfers: message n of queue pair i is segment n
/// · group + i, counted over all transfers. All transfers have the same number of segments.
struct TransferSettings {
  std::uint32_t segments = 0;  ///< number of segments of a transfer; 0 if messages are not parts of transfers
  std::uint32_t group = 1;     ///< number of queue pairs that send each transfer together
  /// If true, each transfer is one message without immediate, followed by an empty message with immediate.
  /// The send window must then be one request, so that the second message is sent only after the first was
  /// acknowledged.
  bool sender_notifies = false;
  /// If this is null, queue pairs do not wait for each other. Must outlive the board.
  TransferProgress* progress = nullptr;
  TransferTimes* times = nullptr;  ///< null if times are not recorded. Must outlive the board

  auto operator<=>(const TransferSettings&) const = default;
};

}  // namespace softfeb::engine
