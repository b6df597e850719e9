// SPDX-License-Identifier: BSD-3-Clause
#include "board/qp_control.hpp"

namespace softfeb::board {

using roce::QpState;

namespace {

constexpr std::uint8_t kTypeRc = 2;
constexpr std::uint8_t kTypeUc = 3;

bool gives(const QpRequest& request, QpState state, std::uint32_t attributes) {
  return request.qp.state == static_cast<std::uint8_t>(state) && (request.mask & attributes) == attributes;
}

}  // namespace

QpResponse QpControl::handle(const QpRequest& request) {
  QpResponse response{
      .success = false, .qpn = request.qpn, .pd_handler = request.pd_handler, .qp = request.qp};
  switch (request.verb) {
    case QpVerb::kCreate:
      response.success = create(request);
      break;
    case QpVerb::kDestroy:
      response.success = destroy();
      break;
    case QpVerb::kModify:
      response.success = modify(request);
      break;
    case QpVerb::kQuery:
      response.success = context_.state != QpState::kReset;
      if (response.success) query(response.qp);
      break;
  }
  return response;
}

void QpControl::fail() {
  if (context_.state != QpState::kReset) context_.state = QpState::kErr;
}

bool QpControl::create(const QpRequest& request) {
  // Types other than RC and UC are rejected, because the data path does not support them.
  if (request.qp.type != kTypeRc && request.qp.type != kTypeUc) return false;
  // A slot that was freed in a state other than ERR still contains its queue pair. The board reports success
  // and changes nothing.
  if (context_.state != QpState::kReset) return true;
  context_ = {};
  context_.state = QpState::kCreate;
  context_.qpn = request.qpn;
  context_.pd_handler = request.pd_handler;
  context_.type = request.qp.type;
  context_.sq_sig_all = request.qp.sq_sig_all;
  return true;
}

bool QpControl::destroy() {
  if (context_.state == QpState::kReset) return false;
  // Only a queue pair in ERR is reset. In other states, the board reports success and frees the slot's entry,
  // but leaves the queue pair's state unchanged.
  if (context_.state == QpState::kErr) context_.state = QpState::kReset;
  return true;
}

bool QpControl::modify(const QpRequest& request) {
  QpState next = context_.state;
  switch (context_.state) {
    case QpState::kCreate:
      return to_init(request);
    case QpState::kInit:
      return to_rtr(request);
    case QpState::kRtr:
      if (to_rts(request)) return true;
      next = QpState::kErr;
      break;
    case QpState::kRts:
      next = gives(request, QpState::kSqd, qp_attr::kState) ? QpState::kSqd : QpState::kErr;
      break;
    case QpState::kSqd:
      next = gives(request, QpState::kRts, qp_attr::kState) ? QpState::kRts : QpState::kErr;
      break;
    case QpState::kErr:
      next = QpState::kReset;
      break;
    case QpState::kReset:
      return false;
  }
  if (!gives(request, next, qp_attr::kState)) return false;
  context_.state = next;
  return true;
}

bool QpControl::to_init(const QpRequest& request) {
  using namespace qp_attr;
  if (!gives(request, QpState::kInit, kState | kAccess | kPkey)) return false;
  context_.access = request.qp.access;
  context_.pkey = request.qp.pkey;
  context_.state = QpState::kInit;
  return true;
}

bool QpControl::to_rtr(const QpRequest& request) {
  using namespace qp_attr;
  constexpr std::uint32_t kNeeded = kState | kPmtu | kDestQpn | kRqPsn | kMaxDestReadAtomic | kMinRnrTimer;
  // The board accepts any path MTU code, but its behaviour is undefined for codes outside 1…5. softfeb
  // rejects these codes.
  if (!gives(request, QpState::kRtr, kNeeded) || !roce::pmtu_legal(roce::pmtu_bytes(request.qp.pmtu)))
    return false;
  context_.pmtu = roce::pmtu_bytes(request.qp.pmtu);
  context_.dest_qpn = request.qp.dest_qpn;
  context_.rq_psn = request.qp.rq_psn;
  context_.max_dest_read_atomic = request.qp.max_dest_read_atomic;
  context_.min_rnr_timer = request.qp.min_rnr_timer;
  context_.state = QpState::kRtr;
  return true;
}

bool QpControl::to_rts(const QpRequest& request) {
  using namespace qp_attr;
  constexpr std::uint32_t kNeeded = kState | kSqPsn | kTimeout | kRetryCount | kRnrRetry | kMaxReadAtomic;
  if (!gives(request, QpState::kRts, kNeeded)) return false;
  context_.sq_psn = request.qp.sq_psn;
  context_.timeout = request.qp.timeout;
  context_.retry_count = request.qp.retry_count;
  context_.rnr_retry = request.qp.rnr_retry;
  context_.max_read_atomic = request.qp.max_read_atomic;
  context_.state = QpState::kRts;
  return true;
}

void QpControl::query(QpFields& out) const {
  // The board's response to a query never contains the path MTU, the destination QPN, the receive PSN or the
  // RNR timer, not even in states in which they are set.
  out.current_state = static_cast<std::uint8_t>(context_.state);
  if (context_.state == QpState::kCreate || context_.state == QpState::kErr) return;
  out.access = context_.access;
  out.pkey = context_.pkey;
  if (context_.state == QpState::kInit || context_.state == QpState::kRtr) return;
  out.sq_psn = context_.sq_psn;
  out.timeout = context_.timeout;
  out.retry_count = context_.retry_count;
  out.rnr_retry = context_.rnr_retry;
  out.max_read_atomic = context_.max_read_atomic;
}

}  // namespace softfeb::board
