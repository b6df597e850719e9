// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"
#include "hello.hpp"
#include "options.hpp"
#include "receives.hpp"
#include "shares.hpp"

#include <vector>

namespace softfeb::sink {

/// The memory, memory regions and queue pairs of one session. The queue pairs are in RTR after construction.
/// The constructor throws Refusal; its message contains the cause and, if known, the fix.
class QueuePairs final : public ReceiveQueues {
 public:
  QueuePairs(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
             const Shares& shares);
  ~QueuePairs() override;
  QueuePairs(const QueuePairs&) = delete;
  QueuePairs& operator=(const QueuePairs&) = delete;

  std::size_t size() const { return qps_.size(); }
  std::uint32_t qpn(std::size_t i) const { return qps_[i]->qp_num; }
  std::uint32_t rkey(std::size_t i) const { return regions_[regions_.size() == 1 ? 0 : i]->rkey; }
  MutableByteSpan memory(std::size_t i) const { return {memory_ + i * length_, length_}; }
  ibv_cq* cq() const { return cq_.get(); }
  MutableByteSpan all_memory() const { return {memory_, mapped_}; }
  int completion_fd() const { return channel_->fd; }
  void rearm();  ///< acknowledges the event that made completion_fd() readable, and requests the next event

  /// Posts `count` receive work requests to QP `i` or, with --srq, to the shared receive queue. The requests
  /// have no buffers, because they are consumed by WRITEs with immediate.
  bool post(std::size_t i, std::uint32_t count) override;
  const char* state(std::size_t i) const;

 private:
  void map_memory(std::size_t bytes);
  void register_memory(bool region_per_qp, std::size_t qps);
  void create_qps(const Options& options, const Hello& hello, const Shares& shares);
  bool post_list(std::size_t i, ibv_recv_wr* first);
  void make_ready(const Device& device, const Gid& gid, const Options& options, const Hello& hello);

  std::uint64_t length_;
  bool solicited_;  ///< completions raise an event only if their message was solicited
  std::uint8_t* memory_ = nullptr;
  std::size_t mapped_ = 0;
  PdPtr pd_;
  ChannelPtr channel_;
  CqPtr cq_;
  SrqPtr srq_;  ///< null without --srq
  std::vector<MrPtr> regions_;
  std::vector<QpPtr> qps_;
};

}  // namespace softfeb::sink
