// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pair.hpp"

#include "refusal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace softfeb::sink {

namespace {

/// kTimeout and kRetries are attributes that only requesters use, but a queue pair cannot enter RTS without
/// them.
constexpr std::uint8_t kTimeout = 14;
constexpr std::uint8_t kRetries = 7;

}  // namespace

/// Posts lists of linked requests, which take the driver less time than single requests.
std::uint32_t post_receives(ibv_qp* qp, ibv_srq* srq, std::uint64_t id, std::uint32_t count,
                            ibv_sge* buffer) {
  std::array<ibv_recv_wr, 64> list{};
  std::uint32_t posted = 0;
  while (posted != count) {
    const std::size_t n = std::min<std::size_t>(count - posted, list.size());
    for (std::size_t k = 0; k < n; ++k) {
      list[k].wr_id = id;
      list[k].next = k + 1 == n ? nullptr : &list[k + 1];
      list[k].sg_list = buffer;
      list[k].num_sge = buffer == nullptr ? 0 : 1;
    }
    ibv_recv_wr* bad = nullptr;
    const int error =
        srq != nullptr ? ibv_post_srq_recv(srq, list.data(), &bad) : ibv_post_recv(qp, list.data(), &bad);
    if (error != 0) return posted + static_cast<std::uint32_t>(bad == nullptr ? 0 : bad - list.data());
    posted += static_cast<std::uint32_t>(n);
  }
  return posted;
}

QueuePair::QueuePair(const Device& device, const Options& options, const Gid& gid,
                     const ResponderAttributes& attributes, ibv_pd* pd, ibv_cq* cq, ibv_srq* srq,
                     std::uint32_t receives, const std::string& label)
    : device_(&device), options_(&options), gid_(gid), attributes_(attributes) {
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq;
  init.srq = srq;
  init.qp_type = attributes.transport == roce::Transport::kRc ? IBV_QPT_RC : IBV_QPT_UC;
  init.cap = {.max_send_wr = 1,
              .max_recv_wr = srq != nullptr ? 0 : receives,
              .max_send_sge = 1,
              .max_recv_sge = 1,
              .max_inline_data = 0};
  qp_.reset(ibv_create_qp(pd, &init));
  if (!qp_) refuse("cannot create " + label, errno);
}

QpState QueuePair::state() const {
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  if (ibv_query_qp(qp_.get(), &attr, IBV_QP_STATE, &init) != 0) return QpState::kUnknown;
  switch (attr.qp_state) {
    case IBV_QPS_RESET:
      return QpState::kReset;
    case IBV_QPS_INIT:
      return QpState::kInit;
    case IBV_QPS_RTR:
      return QpState::kRtr;
    case IBV_QPS_RTS:
      return QpState::kRts;
    case IBV_QPS_ERR:
      return QpState::kErr;
    default:
      return QpState::kUnknown;
  }
}

void QueuePair::move_to(QpState target) {
  for (const QpState next : steps_to(state(), target)) enter(next);
}

void QueuePair::enter(QpState next) {
  switch (next) {
    case QpState::kInit:
      return to_init();
    case QpState::kRtr:
      return to_rtr();
    case QpState::kRts:
      return to_rts();
    case QpState::kErr:
      return to_err();
    default:
      throw Refusal(std::string("a queue pair cannot be moved to ") + name_of(next));
  }
}

void QueuePair::to_init() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = device_->port();
  attr.qp_access_flags = static_cast<unsigned>(attributes_.access);
  const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  if (const int error = ibv_modify_qp(qp_.get(), &attr, mask); error != 0)
    refuse("a queue pair cannot be moved to INIT", error);
}

void QueuePair::to_rtr() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = mtu_code(attributes_.pmtu);
  attr.dest_qp_num = attributes_.dest_qpn;
  attr.rq_psn = attributes_.psn;
  attr.max_dest_rd_atomic = attributes_.max_dest_rd_atomic;
  attr.min_rnr_timer = attributes_.min_rnr_timer;
  attr.ah_attr.is_global = 1;
  attr.ah_attr.port_num = device_->port();
  attr.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid_.index);
  attr.ah_attr.grh.hop_limit = static_cast<std::uint8_t>(options_->hop_limit);
  attr.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(options_->traffic_class);
  std::memcpy(attr.ah_attr.grh.dgid.raw, attributes_.ip.bytes.data(), attributes_.ip.bytes.size());
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (attributes_.transport == roce::Transport::kRc) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  if (const int error = ibv_modify_qp(qp_.get(), &attr, mask); error != 0) refuse_rtr(error);
}

void QueuePair::refuse_rtr(int error) const {
  const std::string ip = attributes_.ip.to_string();
  const std::string interface = gid_.interface.empty() ? "INTERFACE" : gid_.interface;
  if (error == ETIMEDOUT)
    throw Refusal("no neighbour entry for " + ip + " on " + interface +
                  ", and ARP was not answered; fix: let the sender answer ARP before it connects, or on "
                  "the receiver: ip neigh replace " +
                  ip + " lladdr MAC dev " + interface + " nud permanent");
  refuse("the queue pair for " + ip + " cannot be moved to RTR", error);
}

void QueuePair::to_rts() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTS;
  attr.timeout = kTimeout;
  attr.retry_cnt = kRetries;
  attr.rnr_retry = kRetries;
  int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (attributes_.transport == roce::Transport::kRc)
    mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  if (const int error = ibv_modify_qp(qp_.get(), &attr, mask); error != 0)
    refuse("a queue pair cannot be moved to RTS", error);
}

void QueuePair::to_err() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_ERR;
  if (const int error = ibv_modify_qp(qp_.get(), &attr, IBV_QP_STATE); error != 0)
    refuse("a queue pair cannot be moved to ERR", error);
}

}  // namespace softfeb::sink
