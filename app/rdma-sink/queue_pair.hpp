// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"
#include "options.hpp"
#include "qp_state.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <string>

namespace softfeb::sink {

/// Attributes of a queue pair that receives requests of one requester.
struct ResponderAttributes {
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;  ///< path MTU in bytes
  roce::Qpn dest_qpn = 0;     ///< the requester's queue pair
  roce::Psn psn = 0;          ///< PSN of the requester's first request
  roce::IpAddress ip;         ///< RoCE address of the requester
  int access = IBV_ACCESS_REMOTE_WRITE;
  std::uint8_t min_rnr_timer = 12;      ///< IBA timer code; used only with RC
  std::uint8_t max_dest_rd_atomic = 0;  ///< used only with RC
};

/// Posts up to `count` receive work requests with the identifier `id` on the shared receive queue `srq`, or
/// on `qp` if `srq` is null. All requests use `buffer`. `buffer` may be null for messages that carry no
/// payload for the receive (WRITEs with immediate). Returns the number of posted requests, which is lower
/// than `count` if the device has refused a request.
std::uint32_t post_receives(ibv_qp* qp, ibv_srq* srq, std::uint64_t id, std::uint32_t count, ibv_sge* buffer);

/// A responder's queue pair. All functions throw a Refusal that contains the cause and, if known, the fix.
class QueuePair {
 public:
  /// Creates a queue pair in the state RESET. It has room for `receives` receive work requests, unless it
  /// uses `srq`. `device` and `options` must outlive this object. `label` is the name of the queue pair in
  /// errors.
  QueuePair(const Device& device, const Options& options, const Gid& gid,
            const ResponderAttributes& attributes, ibv_pd* pd, ibv_cq* cq, ibv_srq* srq,
            std::uint32_t receives, const std::string& label);

  std::uint32_t qpn() const { return qp_->qp_num; }
  ibv_qp* get() const { return qp_.get(); }
  QpState state() const;  ///< asks the device

  /// Enters a state, which must be a legal successor of the current one.
  void enter(QpState state);
  /// Moves the queue pair to a state, by way of the states in between. Does nothing if it is already in this
  /// state.
  void move_to(QpState state);

 private:
  void to_init();
  void to_rtr();
  void to_rts();
  void to_err();
  [[noreturn]] void refuse_rtr(int error) const;

  const Device* device_;
  const Options* options_;
  Gid gid_;
  ResponderAttributes attributes_;
  QpPtr qp_;
};

}  // namespace softfeb::sink
