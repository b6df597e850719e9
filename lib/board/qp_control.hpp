// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "roce/work.hpp"

#include <cstdint>

namespace softfeb::board {

/// A queue pair as the metadata bus has set it up: each field is what the transition that gives it gave
/// (doc/metadata.md).
struct QpContext {
  roce::QpState state = roce::QpState::kReset;
  roce::Qpn qpn = 0;
  std::uint32_t pd_handler = 0;
  std::uint8_t type = 0;  ///< 2 RC, 3 UC
  bool sq_sig_all = false;
  // CREATE → INIT
  std::uint8_t access = 0;
  std::uint16_t pkey = 0;
  // INIT → RTR
  std::uint32_t pmtu = 0;  ///< bytes
  roce::Qpn dest_qpn = 0;
  roce::Psn rq_psn = 0;
  std::uint8_t max_dest_read_atomic = 0;
  std::uint8_t min_rnr_timer = 0;  ///< code
  // RTR → RTS
  roce::Psn sq_psn = 0;      ///< of the next packet, as far as the data path has told
  std::uint8_t timeout = 0;  ///< code
  std::uint8_t retry_count = 0;
  std::uint8_t rnr_retry = 0;
  std::uint8_t max_read_atomic = 0;
};

/// State machine of one queue pair slot, answering as the board's does.
class QpControl {
 public:
  /// `request` has passed PD and slot table; the answer's fields that nothing sets are the request's.
  QpResponse handle(const QpRequest& request);

  /// The data path met a fatal error: any state but RESET becomes ERR.
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
