// SPDX-License-Identifier: BSD-3-Clause
#include "metadata_messages.hpp"

#include "roce/work.hpp"

#include <bit>

namespace softfeb::febctl {

using namespace board::qp_attr;
using board::MrRequest;
using board::PdRequest;
using board::QpRequest;
using board::QpVerb;
using roce::QpState;

namespace {

constexpr std::uint8_t kTypeRc = 2;
constexpr std::uint8_t kRegionAccess = 0x0f;

/// Returns a modify request. Also sets the attributes that the client software of the real board sends in
/// every modify request, regardless of the mask.
QpRequest modify(std::uint32_t qpn, QpState state, std::uint32_t mask, std::uint8_t pmtu) {
  QpRequest r;
  r.verb = QpVerb::kModify;
  r.qpn = qpn;
  r.mask = mask;
  r.qp.state = static_cast<std::uint8_t>(state);
  r.qp.pmtu = pmtu;
  r.qp.access = 0x0e;
  r.qp.capabilities = 0x20'2001'0100;
  r.qp.pkey = 0xffff;
  r.qp.max_read_atomic = 16;
  r.qp.max_dest_read_atomic = 16;
  r.qp.min_rnr_timer = 1;
  r.qp.timeout = 14;
  r.qp.retry_count = 3;
  r.qp.rnr_retry = 3;
  r.qp.type = kTypeRc;
  return r;
}

}  // namespace

PdRequest allocate_pd(std::uint32_t key) { return {.allocate = true, .key = key}; }

PdRequest free_pd(std::uint32_t handler) { return {.handler = handler}; }

MrRequest allocate_mr(std::uint32_t pd, const RegionParameters& region) {
  return {.allocate = true,
          .mr = {.address = region.address,
                 .length = region.length,
                 .access = kRegionAccess,
                 .pd_handler = pd,
                 .lkey_part = region.lkey_part,
                 .rkey_part = region.rkey_part}};
}

/// Leaves by_lkey false, so that the firmware derives the slot of the region from the rkey.
MrRequest free_mr(std::uint32_t pd, std::uint32_t lkey, std::uint32_t rkey) {
  return {.allocate = false, .mr = {.pd_handler = pd}, .lkey = lkey, .rkey = rkey};
}

QpRequest create_qp(std::uint32_t pd) {
  QpRequest r;
  r.verb = QpVerb::kCreate;
  r.pd_handler = pd;
  r.qp.type = kTypeRc;
  return r;
}

QpRequest to_init(std::uint32_t qpn, const QpParameters& p) {
  return modify(qpn, QpState::kInit, kState | kAccess | kPkey, pmtu_code(p.pmtu));
}

QpRequest to_rtr(std::uint32_t qpn, const QpParameters& p) {
  QpRequest r =
      modify(qpn, QpState::kRtr, kState | kPmtu | kDestQpn | kRqPsn | kMaxDestReadAtomic | kMinRnrTimer,
             pmtu_code(p.pmtu));
  r.qp.dest_qpn = p.dest_qpn;
  r.qp.rq_psn = p.rq_psn;
  r.qp.min_rnr_timer = p.min_rnr_timer;
  return r;
}

QpRequest to_rts(std::uint32_t qpn, const QpParameters& p) {
  QpRequest r =
      modify(qpn, QpState::kRts, kState | kTimeout | kRetryCount | kRnrRetry | kMaxReadAtomic | kSqPsn,
             pmtu_code(p.pmtu));
  r.qp.sq_psn = p.sq_psn;
  r.qp.min_rnr_timer = p.min_rnr_timer;
  r.qp.timeout = p.timeout;
  r.qp.retry_count = p.retry_count;
  r.qp.rnr_retry = p.rnr_retry;
  return r;
}

QpRequest to_err(std::uint32_t qpn) { return modify(qpn, QpState::kErr, kState, 1); }

QpRequest query_qp(std::uint32_t qpn, std::uint32_t pd) {
  QpRequest r;
  r.verb = QpVerb::kQuery;
  r.pd_handler = pd;
  r.qpn = qpn;
  return r;
}

QpRequest destroy_qp(std::uint32_t qpn) {
  QpRequest r;
  r.verb = QpVerb::kDestroy;
  r.qpn = qpn;
  return r;
}

std::uint8_t pmtu_code(std::uint32_t bytes) { return static_cast<std::uint8_t>(std::countr_zero(bytes) - 7); }

}  // namespace softfeb::febctl
