// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pairs.hpp"

#include <cerrno>

namespace softfeb::sink {

namespace {

SrqPtr create_srq(ibv_pd* pd, std::uint32_t receives) {
  ibv_srq_init_attr init{};
  init.attr = {.max_wr = receives, .max_sge = 1, .srq_limit = 0};
  SrqPtr srq(ibv_create_srq(pd, &init));
  if (!srq)
    refuse("cannot create a shared receive queue of " + std::to_string(receives) + " receives", errno);
  return srq;
}

}  // namespace

QueuePairs::QueuePairs(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
                       const Shares& shares)
    : length_(shares.length),
      solicited_(options.solicited),
      memory_(shares.length * hello.qps.size()),
      pd_(allocate_pd(device)),
      completions_(device, shares.completions) {
  completions_.arm(solicited_);
  register_memory(options.region_per_qp, hello.qps.size());
  if (options.srq) srq_ = create_srq(pd_.get(), shares.capacity);
  create_qps(device, gid, options, hello, shares);
  for (QueuePair& qp : qps_) {
    qp.enter(QpState::kInit);
    qp.enter(QpState::kRtr);  // a responder needs no state beyond RTR
  }
}

void QueuePairs::register_memory(bool region_per_qp, std::size_t qps) {
  const std::size_t regions = region_per_qp ? qps : 1;
  const std::size_t bytes = memory_.bytes().size() / regions;
  for (std::size_t i = 0; i < regions; ++i)
    regions_.push_back(
        register_region(pd_.get(), memory_.bytes().subspan(i * bytes, bytes), IBV_ACCESS_REMOTE_WRITE));
}

void QueuePairs::create_qps(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
                            const Shares& shares) {
  const std::string count = std::to_string(hello.qps.size());
  ResponderAttributes attributes;
  attributes.transport = hello.transport;
  attributes.pmtu = hello.pmtu;
  attributes.min_rnr_timer = static_cast<std::uint8_t>(options.min_rnr_timer);
  qps_.reserve(hello.qps.size());
  for (const PeerQp& peer : hello.qps) {
    attributes.dest_qpn = peer.qpn;
    attributes.psn = peer.psn;
    attributes.ip = peer.ip;
    qps_.emplace_back(device, options, gid, attributes, pd_.get(), completions_.get(), srq_.get(),
                      shares.capacity, "queue pair " + std::to_string(qps_.size() + 1) + " of " + count);
  }
}

void QueuePairs::rearm() {
  if (completions_.take_events()) completions_.arm(solicited_);
}

bool QueuePairs::post(std::size_t i, std::uint32_t count) {
  return post_receives(qps_[i].get(), srq_.get(), i, count, nullptr) == count;
}

}  // namespace softfeb::sink
