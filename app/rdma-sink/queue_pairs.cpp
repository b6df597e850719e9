// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pairs.hpp"

#include "receive_accounting.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>

namespace softfeb::sink {

namespace {

[[noreturn]] void refuse(const std::string& what, int error) {
  throw Refusal(what + ": " + std::strerror(error));
}

[[noreturn]] void refuse_rtr(const Gid& gid, const PeerQp& peer, int error) {
  const std::string ip = peer.ip.to_string();
  const std::string interface = gid.interface.empty() ? "INTERFACE" : gid.interface;
  if (error == ETIMEDOUT)
    throw Refusal("no neighbour entry for " + ip + " on " + interface +
                  ", and ARP was not answered; fix: let the sender answer ARP before it connects, or on "
                  "the receiver: ip neigh replace " +
                  ip + " lladdr MAC dev " + interface + " nud permanent");
  refuse("the queue pair for " + ip + " cannot be moved to RTR", error);
}

ibv_qp_attr rtr_attributes(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
                           const PeerQp& peer) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = mtu_code(hello.pmtu);
  attr.dest_qp_num = peer.qpn;
  attr.rq_psn = peer.psn;
  attr.max_dest_rd_atomic = 0;
  attr.min_rnr_timer = static_cast<std::uint8_t>(options.min_rnr_timer);
  attr.ah_attr.is_global = 1;
  attr.ah_attr.port_num = device.port();
  attr.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid.index);
  attr.ah_attr.grh.hop_limit = static_cast<std::uint8_t>(options.hop_limit);
  attr.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(options.traffic_class);
  std::memcpy(attr.ah_attr.grh.dgid.raw, peer.ip.bytes.data(), peer.ip.bytes.size());
  return attr;
}

}  // namespace

QueuePairs::QueuePairs(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
                       const Shares& shares)
    : length_(shares.length), solicited_(options.solicited) {
  const std::size_t n = hello.qps.size();
  map_memory(length_ * n);
  pd_.reset(ibv_alloc_pd(device.context()));
  if (!pd_) refuse("cannot allocate a protection domain", errno);
  channel_.reset(ibv_create_comp_channel(device.context()));
  if (!channel_) refuse("cannot create a completion channel", errno);
  cq_.reset(
      ibv_create_cq(device.context(), static_cast<int>(shares.completions), nullptr, channel_.get(), 0));
  if (!cq_)
    refuse("cannot create a completion queue of " + std::to_string(shares.completions) + " entries", errno);
  ibv_req_notify_cq(cq_.get(), solicited_ ? 1 : 0);
  register_memory(options.region_per_qp, n);
  create_qps(options, hello, shares);
  make_ready(device, gid, options, hello);
}

void QueuePairs::create_qps(const Options& options, const Hello& hello, const Shares& shares) {
  const std::size_t n = hello.qps.size();
  if (options.srq) {
    ibv_srq_init_attr srq{};
    srq.attr = {.max_wr = shares.capacity, .max_sge = 1, .srq_limit = 0};
    srq_.reset(ibv_create_srq(pd_.get(), &srq));
    if (!srq_)
      refuse("cannot create a shared receive queue of " + std::to_string(shares.capacity) + " receives",
             errno);
  }
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq_.get();
  init.srq = srq_.get();
  init.qp_type = hello.transport == roce::Transport::kRc ? IBV_QPT_RC : IBV_QPT_UC;
  init.cap = {.max_send_wr = 1,
              .max_recv_wr = srq_ ? 0 : shares.capacity,
              .max_send_sge = 1,
              .max_recv_sge = 1,
              .max_inline_data = 0};
  for (std::size_t i = 0; i < n; ++i) {
    qps_.emplace_back(ibv_create_qp(pd_.get(), &init));
    if (!qps_.back())
      refuse("cannot create queue pair " + std::to_string(i + 1) + " of " + std::to_string(n), errno);
  }
}

QueuePairs::~QueuePairs() {
  qps_.clear();
  srq_.reset();
  cq_.reset();
  regions_.clear();
  pd_.reset();
  if (memory_ != nullptr) munmap(memory_, mapped_);
}

void QueuePairs::map_memory(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    refuse("cannot allocate " + std::to_string(bytes) + " bytes of memory (rdma-sink --memory)", errno);
  memory_ = static_cast<std::uint8_t*>(at);
  mapped_ = bytes;
  std::memset(memory_, kUntouched, bytes);
}

void QueuePairs::register_memory(bool region_per_qp, std::size_t qps) {
  const std::size_t regions = region_per_qp ? qps : 1;
  const std::size_t bytes = mapped_ / regions;
  for (std::size_t i = 0; i < regions; ++i) {
    regions_.emplace_back(
        ibv_reg_mr(pd_.get(), memory_ + i * bytes, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    if (!regions_.back())
      refuse("a memory region of " + std::to_string(bytes) +
                 " bytes cannot be registered (fix: ulimit -l unlimited, or a smaller --memory)",
             errno);
  }
}

void QueuePairs::make_ready(const Device& device, const Gid& gid, const Options& options,
                            const Hello& hello) {
  ibv_qp_attr init{};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = device.port();
  init.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (hello.transport == roce::Transport::kRc) rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    if (const int error = ibv_modify_qp(qps_[i].get(), &init,
                                        IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
        error != 0)
      refuse("a queue pair cannot be moved to INIT", error);
    // A responder needs no state beyond RTR.
    ibv_qp_attr attr = rtr_attributes(device, gid, options, hello, hello.qps[i]);
    if (const int error = ibv_modify_qp(qps_[i].get(), &attr, rtr); error != 0)
      refuse_rtr(gid, hello.qps[i], error);
  }
}

void QueuePairs::rearm() {
  ibv_cq* cq = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(channel_.get(), &cq, &context) != 0) return;
  ibv_ack_cq_events(cq, 1);
  ibv_req_notify_cq(cq, solicited_ ? 1 : 0);
}

bool QueuePairs::post_list(std::size_t i, ibv_recv_wr* first) {
  ibv_recv_wr* bad = nullptr;
  return (srq_ ? ibv_post_srq_recv(srq_.get(), first, &bad) : ibv_post_recv(qps_[i].get(), first, &bad)) == 0;
}

/// Posts lists of linked requests, which take the driver less time than single requests.
bool QueuePairs::post(std::size_t i, std::uint32_t count) {
  std::array<ibv_recv_wr, 64> list{};
  while (count != 0) {
    const std::size_t n = std::min<std::size_t>(count, list.size());
    for (std::size_t k = 0; k < n; ++k) {
      list[k].wr_id = i;
      list[k].next = k + 1 == n ? nullptr : &list[k + 1];
    }
    if (!post_list(i, list.data())) return false;
    count -= static_cast<std::uint32_t>(n);
  }
  return true;
}

const char* QueuePairs::state(std::size_t i) const {
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  if (ibv_query_qp(qps_[i].get(), &attr, IBV_QP_STATE, &init) != 0) return "unknown";
  switch (attr.qp_state) {
    case IBV_QPS_RESET:
      return "RESET";
    case IBV_QPS_INIT:
      return "INIT";
    case IBV_QPS_RTR:
      return "RTR";
    case IBV_QPS_RTS:
      return "RTS";
    case IBV_QPS_ERR:
      return "ERR";
    default:
      return "unknown";
  }
}

}  // namespace softfeb::sink
