// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pairs.hpp"

#include "receive_accounting.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>

namespace softfeb::sink {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kDefaultReceives = 128;
constexpr std::uint64_t kDefaultReceivesUc =
    1024;  ///< number of receives for UC, which has no RNR NAK: a message without a receive is lost
constexpr std::uint32_t kMaxCapacity = 16384;

[[noreturn]] void refuse(const std::string& what, int error) {
  throw Refusal(what + ": " + std::strerror(error));
}

[[noreturn]] void refuse_rtr(const Gid& gid, const Hello& hello, int error) {
  const std::string ip = hello.ip.to_string();
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
  std::memcpy(attr.ah_attr.grh.dgid.raw, hello.ip.bytes.data(), hello.ip.bytes.size());
  return attr;
}

}  // namespace

Shares share_out(const Options& options, const Hello& hello, const ibv_device_attr& device) {
  const std::uint64_t qps = hello.qps.size();
  if (qps > options.max_qps)
    throw Refusal(std::to_string(qps) + " queue pairs; fix: rdma-sink --max-qps " + std::to_string(qps));
  Shares s;
  s.length = options.memory / qps / kPage * kPage;
  const std::uint64_t need =
      std::max<std::uint64_t>(hello.message_size, 1) * std::max<std::uint64_t>(hello.slots, 1);
  if (s.length < need)
    throw Refusal("each of " + std::to_string(qps) + " queue pairs gets " + std::to_string(s.length) +
                  " bytes of memory, but needs " + std::to_string(need) + "; fix: rdma-sink --memory " +
                  std::to_string((need + kPage - 1) / kPage * kPage * qps) + ", or smaller messages");
  s.slots = hello.message_size == 0 ? 1 : s.length / hello.message_size;
  if (hello.slots != 0) s.slots = std::min(s.slots, hello.slots);

  const auto max_cqe = static_cast<std::uint64_t>(std::max(device.max_cqe, 1));
  const auto max_wr = static_cast<std::uint64_t>(std::max(device.max_qp_wr, 1));
  const std::uint64_t limit = std::min<std::uint64_t>({max_cqe / qps, max_wr, kMaxCapacity});
  if (limit == 0 || options.recvs.value_or(0) > limit)
    throw Refusal("the device has completions for " + std::to_string(limit) + " receives on each of " +
                  std::to_string(qps) + " queue pairs; fix: use fewer queue pairs or a smaller --recvs");
  // On RC, message n overwrites message n - slots, and cannot complete before a receive is posted for it.
  // With fewer receives than slots, a message therefore stays unchanged until it has been checked.
  const bool rc = hello.transport == roce::Transport::kRc;
  const std::uint64_t safe =
      rc && hello.message_size != 0 ? std::clamp<std::uint64_t>(s.slots - 1, 1, limit) : limit;
  s.receives = options.recvs.value_or(
      static_cast<std::uint32_t>(std::min(safe, rc ? kDefaultReceives : kDefaultReceivesUc)));
  s.capacity = std::max(s.receives, static_cast<std::uint32_t>(safe));
  s.live = rc && hello.immediate.present() && s.capacity < s.slots;
  return s;
}

Shares share_out_events(const Options& options, const Hello& hello, const ibv_device_attr& device) {
  const detector::EventLayout& layout = options.events->layout;
  if (hello.qps.size() != layout.boards)
    throw Refusal(std::to_string(hello.qps.size()) + " queue pairs; --events needs one for each of " +
                  std::to_string(layout.boards) + " boards; fix: rdma-sink --event-boards");
  if (!hello.immediate.present()) throw Refusal("--events needs WRITEs with immediate");
  // Receives and memory are those of QPs with a message of a whole slot for each event.
  Hello messages = hello;
  messages.message_size = layout.slot;
  messages.slots = layout.slots;
  Options rounded = options;
  rounded.memory = (layout.memory() / layout.boards + kPage - 1) / kPage * kPage * layout.boards;
  return share_out(rounded, messages, device);
}

QueuePairs::QueuePairs(const Device& device, const Gid& gid, const Options& options, const Hello& hello,
                       const Shares& shares)
    : length_(shares.length) {
  const std::size_t n = hello.qps.size();
  map_memory(length_ * n);
  pd_.reset(ibv_alloc_pd(device.context()));
  if (!pd_) refuse("cannot allocate a protection domain", errno);
  channel_.reset(ibv_create_comp_channel(device.context()));
  if (!channel_) refuse("cannot create a completion channel", errno);
  cq_.reset(
      ibv_create_cq(device.context(), static_cast<int>(shares.capacity * n), nullptr, channel_.get(), 0));
  if (!cq_)
    refuse("cannot create a completion queue of " + std::to_string(shares.capacity * n) + " entries", errno);
  ibv_req_notify_cq(cq_.get(), 0);
  register_memory(options.region_per_qp, n);

  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq_.get();
  init.qp_type = hello.transport == roce::Transport::kRc ? IBV_QPT_RC : IBV_QPT_UC;
  init.cap = {.max_send_wr = 1,
              .max_recv_wr = shares.capacity,
              .max_send_sge = 1,
              .max_recv_sge = 1,
              .max_inline_data = 0};
  for (std::size_t i = 0; i < n; ++i) {
    qps_.emplace_back(ibv_create_qp(pd_.get(), &init));
    if (!qps_.back())
      refuse("cannot create queue pair " + std::to_string(i + 1) + " of " + std::to_string(n), errno);
  }
  make_ready(device, gid, options, hello);
}

QueuePairs::~QueuePairs() {
  qps_.clear();
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
    if (const int error = ibv_modify_qp(qps_[i].get(), &attr, rtr); error != 0) refuse_rtr(gid, hello, error);
  }
}

void QueuePairs::rearm() {
  ibv_cq* cq = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(channel_.get(), &cq, &context) != 0) return;
  ibv_ack_cq_events(cq, 1);
  ibv_req_notify_cq(cq, 0);
}

bool QueuePairs::post(std::size_t i, std::uint32_t count) {
  ibv_recv_wr request{};
  request.wr_id = i;
  for (; count > 0; --count) {
    ibv_recv_wr* bad = nullptr;
    if (ibv_post_recv(qps_[i].get(), &request, &bad) != 0) return false;
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
