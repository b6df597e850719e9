// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hello.hpp"
#include "shares.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::sink {

/// Where receive work requests are posted.
class ReceiveQueues {
 public:
  virtual ~ReceiveQueues() = default;
  /// Posts `count` receives to queue `i`, or to the shared receive queue. False: the device refused.
  virtual bool post(std::size_t i, std::uint32_t count) = 0;
};

/// The receive work requests of a session: posts them, and posts them again when messages have consumed them.
/// With a shared receive queue (--srq), the QPs have one queue, and consumed receives are posted in batches.
class Receives {
 public:
  /// `queues` must outlive this object.
  Receives(ReceiveQueues& queues, std::size_t qps, const Shares& shares, bool shared, bool replenish);

  /// Posts more receives and returns their number. Throws Refusal if they do not fit, or if `what` names a QP
  /// that has no receives of its own.
  std::uint32_t post(const PostReceives& what);
  /// A message of QP `qp` has consumed a receive.
  void consumed(std::size_t qp) {
    if (posted_[queue_of(qp)] > 0) --posted_[queue_of(qp)];
  }
  /// A message of QP `qp` was handled, and its memory may be overwritten.
  void handled(std::size_t qp);
  /// Call after each group of completions: posts what handled() has left for a batch.
  void flush();

  /// Receives that are posted for QP `qp`, including those of others if they are shared.
  std::uint32_t posted(std::size_t qp) const { return posted_[queue_of(qp)]; }
  bool shared() const { return shared_; }

 private:
  std::size_t queue_of(std::size_t qp) const { return shared_ ? 0 : qp; }

  ReceiveQueues& queues_;
  Shares shares_;
  bool shared_;
  bool replenish_;
  std::size_t qps_;
  std::vector<std::uint32_t> posted_;  ///< by queue
  std::uint32_t batch_ = 0;
};

}  // namespace softfeb::sink
