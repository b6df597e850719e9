// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "roce/work.hpp"

#include <cstdint>

namespace softfeb::board {

/// A queue pair as configured over the metadata bus. CREATE sets the first group of fields. Above each
/// further group, a comment names the state transition that sets it (doc/metadata.md).
struct QpContext {
  roce::QpState state = roce::QpState::kReset;
  roce::Qpn qpn = 0;
  std::uint32_t pd_handler = 0;
  std::uint8_t type = 0;  ///< 2: RC, 3: UC
  bool sq_sig_all = false;
  // Set by CREATE → INIT.
  std::uint8_t access = 0;
  std::uint16_t pkey = 0;
  // Set by INIT → RTR.
  std::uint32_t pmtu = 0;  ///< bytes
  roce::Qpn dest_qpn = 0;
  roce::Psn rq_psn = 0;
  std::uint8_t max_dest_read_atomic = 0;
  std::uint8_t min_rnr_timer = 0;  ///< IBA timer code
  // Set by RTR → RTS.
  roce::Psn sq_psn = 0;      ///< PSN of the next packet, as last reported by the data path
  std::uint8_t timeout = 0;  ///< IBA timer code
  std::uint8_t retry_count = 0;
  std::uint8_t rnr_retry = 0;
  std::uint8_t max_read_atomic = 0;
};

/// State machine of one queue pair slot. It responds to requests as the board does.
class QpControl {
 public:
  /// Executes `request`, which the caller must have checked against the PD and QP slot tables. Response
  /// fields that execution does not set are copied from the request.
  QpResponse handle(const QpRequest& request);

  /// Handles a fatal error that the data path reports: changes any state except RESET to ERR.
  void fail();
  void set_next_psn(roce::Psn psn) { context_.sq_psn = psn; }
  void reset() { context_ = {}; }

  const QpContext& context() const { return context_; }

 private:
  bool create(const QpRequest& request);
  bool destroy();
  bool modify(const QpRequest& request);
  bool to_init(const QpRequest& request);
  bool to_rtr(const QpRequest& request);
  bool to_rts(const QpRequest& request);
  void query(QpFields& out) const;

  QpContext context_;
};

}  // namespace softfeb::board
