// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "completion_queue.hpp"
#include "hello.hpp"
#include "options.hpp"
#include "queue_pair.hpp"
#include "receives.hpp"
#include "shares.hpp"
#include "verbs_memory.hpp"

#include <vector>

namespace softfeb::sink {

/// The memory, memory regions and queue pairs of one session. The queue pairs are in RTR after construction.
/// The constructor throws Refusal; its message contains the cause and, if known, the fix.
class QueuePairs final : public ReceiveQueues {
 public:
  /// `device` and `options` must outlive this object.
  QueuePairs(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
             const Shares& shares);

  std::size_t size() const { return qps_.size(); }
  std::uint32_t qpn(std::size_t i) const { return qps_[i].qpn(); }
  std::uint32_t rkey(std::size_t i) const { return regions_[regions_.size() == 1 ? 0 : i]->rkey; }
  MutableByteSpan memory(std::size_t i) const { return memory_.bytes().subspan(i * length_, length_); }
  MutableByteSpan all_memory() const { return memory_.bytes(); }
  CompletionQueue& completions() { return completions_; }
  const CompletionQueue& completions() const { return completions_; }
  void rearm();  ///< takes the events of completions(), and requests the next event

  /// Posts `count` receive work requests to QP `i` or, with --srq, to the shared receive queue. The requests
  /// have no buffers, because they are consumed by WRITEs with immediate.
  bool post(std::size_t i, std::uint32_t count) override;
  const char* state(std::size_t i) const { return name_of(qps_[i].state()); }

 private:
  void register_memory(bool region_per_qp, std::size_t qps);
  void create_qps(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
                  const Shares& shares);

  std::uint64_t length_;
  bool solicited_;  ///< completions raise an event only if their message was solicited
  // The order matters: members are destroyed in reverse order.
  MappedMemory memory_;
  PdPtr pd_;
  CompletionQueue completions_;
  SrqPtr srq_;  ///< null without --srq
  std::vector<MrPtr> regions_;
  std::vector<QueuePair> qps_;
};

}  // namespace softfeb::sink
