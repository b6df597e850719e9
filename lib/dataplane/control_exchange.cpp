// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/control_exchange.hpp"

#include <rte_mbuf.h>

namespace softfeb::dataplane {

ControlExchange::~ControlExchange() {
  drop_received();
  for (ControlFrame frame; to_send_.pop(frame);) rte_pktmbuf_free(frame.packet);
}

bool ControlExchange::send(const ControlFrame& frame) {
  if (!to_send_.push(frame)) return false;
  if (worker_ != nullptr) worker_->ring();
  return true;
}

std::uint64_t ControlExchange::drop_received() {
  std::uint64_t n = 0;
  for (ControlDatagram datagram; received_.pop(datagram); ++n) rte_pktmbuf_free(datagram.packet);
  return n;
}

}  // namespace softfeb::dataplane
