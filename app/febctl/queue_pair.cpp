// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pair.hpp"

#include "failure.hpp"
#include "roce/work.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

using roce::QpState;

void QueuePair::allocate_pd(std::uint32_t key) {
  const board::PdResponse answer = bus_.ask(febctl::allocate_pd(key));
  if (!answer.success) {
    throw Refusal(
        "the board has no protection domain left; fix: febctl teardown frees what an earlier session "
        "left; --pd HANDLER uses an existing one");
  }
  board_.pd = answer.handler;
}

void QueuePair::register_region(const RegionParameters& region) {
  const board::MrResponse answer = bus_.ask(allocate_mr(board_.pd.value(), region));
  if (!answer.success)
    throw Refusal("the board has no memory region left; fix: febctl teardown --all-regions frees them");
  board_.lkey = answer.lkey;
  board_.rkey = answer.rkey;
}

void QueuePair::create() {
  const board::QpResponse answer = bus_.ask(create_qp(board_.pd.value()));
  if (!answer.success) {
    throw Refusal(
        "the board has no queue pair left; fix: febctl teardown frees what an earlier session left");
  }
  board_.qpn = answer.qpn;
}

void QueuePair::modify(const board::QpRequest& request, const char* state) {
  if (!bus_.ask(request).success) {
    throw Refusal(fmt::format(
        "the board refuses to move queue pair {:#x} to {}; fix: run febctl teardown and try again",
        request.qpn, state));
  }
}

void QueuePair::bring_up(const QpParameters& p) {
  const std::uint32_t qpn = board_.qpn.value();
  modify(to_init(qpn, p), "INIT");
  modify(to_rtr(qpn, p), "RTR");
  modify(to_rts(qpn, p), "RTS");
}

/// Moves the queue pair to ERR, because the board destroys queue pairs only in this state. ERR can be
/// reached only from RTR and later states, so a queue pair in an earlier state is first moved to RTR.
void QueuePair::to_error(std::vector<std::string>& refused) {
  const std::uint32_t qpn = *board_.qpn;
  const board::QpResponse answer = bus_.ask(query_qp(qpn, board_.pd.value_or(0)));
  // If the query fails, the queue pair or its protection domain does not exist; the destroy request will
  // report this.
  if (!answer.success) return;
  const auto state = static_cast<QpState>(answer.qp.current_state);
  if (state == QpState::kErr) return;
  const QpParameters any;
  if (state == QpState::kCreate) bus_.ask(to_init(qpn, any));
  if (state == QpState::kCreate || state == QpState::kInit) bus_.ask(to_rtr(qpn, any));
  if (!bus_.ask(to_err(qpn)).success)
    refused.push_back(fmt::format("cannot move queue pair {:#x} to ERR", qpn));
}

std::vector<std::string> QueuePair::take_down() {
  std::vector<std::string> refused;
  if (board_.qpn) {
    to_error(refused);
    const board::QpResponse answer = bus_.ask(destroy_qp(*board_.qpn));
    if (!answer.success)
      refused.push_back(fmt::format("there is no queue pair {:#x} to destroy", *board_.qpn));
    else if (!board_.pd)
      board_.pd = answer.pd_handler;
    board_.qpn.reset();
  }
  const std::uint32_t pd = board_.pd.value_or(0);
  if (board_.lkey) {
    if (!bus_.ask(free_mr(pd, *board_.lkey, board_.rkey.value_or(*board_.lkey))).success)
      refused.push_back(fmt::format("there is no memory region with lkey {:#x} to free", *board_.lkey));
    board_.lkey.reset();
    board_.rkey.reset();
  }
  if (board_.pd && !board_.keep_pd && !bus_.ask(free_pd(pd)).success)
    refused.push_back(fmt::format("there is no protection domain {:#x} to free", pd));
  board_.pd.reset();
  return refused;
}

}  // namespace softfeb::febctl
