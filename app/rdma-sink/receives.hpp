// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hello.hpp"
#include "shares.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::sink {

/// The queues to which receive work requests are posted.
class ReceiveQueues {
 public:
  virtual ~ReceiveQueues() = default;
  /// Posts `count` receives to queue `i`, or to the shared receive queue. Returns false if the device
  /// refused.
  virtual bool post(std::size_t i, std::uint32_t count) = 0;
};

/// Posts the receive work requests of a session. With `replenish`, posts them again after messages have
/// consumed them. With a shared receive queue (--srq), all QPs use one queue, and consumed receives are
/// posted again in batches.
class Receives {
 public:
  /// `queues` must outlive this object. `qps` is the number of QPs; if `shared` is true, they share one
  /// receive queue. If `replenish` is true, consumed receives are posted again.
  Receives(ReceiveQueues& queues, std::size_t qps, const Shares& shares, bool shared, bool replenish);

  /// Posts `what.count` more receives on the queue of QP `what.qp` or, if that is empty, on each queue.
  /// Returns `what.count`. Throws Refusal if they do not fit, if the device refuses them, or if `what.qp`
  /// has no receive queue of its own.
  std::uint32_t post(const PostReceives& what);
  /// Call this when a message of QP `qp` has consumed a receive.
  void consumed(std::size_t qp) {
    if (posted_[queue_of(qp)] > 0) --posted_[queue_of(qp)];
  }
  /// Call this when a message of QP `qp` has been handled and its memory may be overwritten. With
  /// `replenish`, the consumed receive is posted again: at once if QP `qp` has its own receive queue, and in
  /// the next flush() if the receive queue is shared.
  void handled(std::size_t qp);
  /// Posts the consumed receives of the shared receive queue again (see handled()). Call after each group of
  /// completions.
  void flush();

  /// Returns the number of receives that are posted for QP `qp`, or for all QPs if they share a receive
  /// queue.
  std::uint32_t posted(std::size_t qp) const { return posted_[queue_of(qp)]; }
  bool shared() const { return shared_; }

 private:
  std::size_t queue_of(std::size_t qp) const { return shared_ ? 0 : qp; }

  ReceiveQueues& queues_;
  Shares shares_;
  bool shared_;
  bool replenish_;
  std::size_t qps_;
  std::vector<std::uint32_t> posted_;  ///< number of posted receives in each queue
  std::uint32_t batch_ = 0;
};

}  // namespace softfeb::sink
