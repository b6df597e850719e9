// SPDX-License-Identifier: BSD-3-Clause
#include "receives.hpp"

#include <algorithm>
#include <string>

namespace softfeb::sink {

Receives::Receives(ReceiveQueues& queues, std::size_t qps, const Shares& shares, bool shared, bool replenish)
    : queues_(queues),
      shares_(shares),
      shared_(shared),
      replenish_(replenish),
      qps_(qps),
      posted_(shared ? 1 : qps, 0) {}

std::uint32_t Receives::post(const PostReceives& what) {
  if (what.qp && *what.qp >= qps_) throw Refusal("'qp' counts from 0 to " + std::to_string(qps_ - 1));
  if (what.qp && shared_) throw Refusal("all queue pairs share their receives (--srq); leave out 'qp'");
  const std::size_t first = what.qp.value_or(0);
  const std::size_t end = what.qp ? first + 1 : posted_.size();
  const auto name = [this](std::size_t i) {
    return shared_ ? std::string("the shared receive queue") : "queue pair " + std::to_string(i);
  };
  for (std::size_t i = first; i < end; ++i) {
    if (what.count > shares_.capacity - posted_[i])
      throw Refusal(name(i) + " has room for " + std::to_string(shares_.capacity - posted_[i]) +
                    " more receives");
  }
  for (std::size_t i = first; i < end; ++i) {
    if (!queues_.post(i, what.count)) throw Refusal("cannot post receives on " + name(i));
    posted_[i] += what.count;
  }
  return what.count;
}

void Receives::handled(std::size_t qp) {
  if (!replenish_) return;
  if (shared_) {
    ++batch_;
  } else if (posted_[qp] < shares_.receives && queues_.post(qp, 1)) {
    ++posted_[qp];
  }
}

void Receives::flush() {
  if (batch_ == 0) return;
  const std::uint32_t room = shares_.receives - std::min(shares_.receives, posted_[0]);
  const std::uint32_t count = std::min(batch_, room);
  batch_ = 0;
  if (count != 0 && queues_.post(0, count)) posted_[0] += count;
}

}  // namespace softfeb::sink
