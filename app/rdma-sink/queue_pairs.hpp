// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"
#include "hello.hpp"
#include "options.hpp"

#include <vector>

namespace softfeb::sink {

/// Resources of each QP of a session.
struct Shares {
  std::uint64_t length = 0;    ///< bytes of memory of each QP
  std::uint64_t slots = 0;     ///< number of messages that fit
  std::uint32_t capacity = 0;  ///< maximum number of receive work requests that a QP can hold
  std::uint32_t receives = 0;  ///< number of receive work requests posted at the start
  bool live = false;           ///< messages can be checked as they arrive (ReceiveAccounting)
};

/// Divides the resources among the QPs. Throws Refusal if the memory or the device's limits are
/// insufficient.
Shares share_out(const Options& options, const Hello& hello, const ibv_device_attr& device);
/// The same for --events: all QPs share the memory of the events.
Shares share_out_events(const Options& options, const Hello& hello, const ibv_device_attr& device);

/// Memory, regions and queue pairs of one session, in RTR after construction. Throws Refusal with the fix.
class QueuePairs {
 public:
  QueuePairs(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
             const Shares& shares);
  ~QueuePairs();
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

  /// Posts `count` receive work requests without buffers, to be consumed by WRITEs with immediate. Returns
  /// false on failure.
  bool post(std::size_t i, std::uint32_t count);
  const char* state(std::size_t i) const;

 private:
  void map_memory(std::size_t bytes);
  void register_memory(bool region_per_qp, std::size_t qps);
  void make_ready(const Device& device, const Gid& gid, const Options& options, const Hello& hello);

  std::uint64_t length_;
  std::uint8_t* memory_ = nullptr;
  std::size_t mapped_ = 0;
  PdPtr pd_;
  ChannelPtr channel_;
  CqPtr cq_;
  std::vector<MrPtr> regions_;
  std::vector<QpPtr> qps_;
};

}  // namespace softfeb::sink
