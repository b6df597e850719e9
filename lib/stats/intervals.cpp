// SPDX-License-Identifier: BSD-3-Clause
#include "stats/rate_tracker.hpp"

namespace softfeb::stats {
namespace {

std::optional<double> sum_if_known(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

}  // namespace

SendCounts& SendCounts::operator+=(const SendCounts& o) {
  counted_bytes += o.counted_bytes;
  payload_bytes += o.payload_bytes;
  retransmitted += o.retransmitted;
  cnps += o.cnps;
  completed += o.completed;
  failed += o.failed;
  rnr_naks += o.rnr_naks;
  timeouts += o.timeouts;
  return *this;
}

SendCounts SendCounts::operator-(const SendCounts& o) const {
  return {.counted_bytes = counted_bytes - o.counted_bytes,
          .payload_bytes = payload_bytes - o.payload_bytes,
          .retransmitted = retransmitted - o.retransmitted,
          .cnps = cnps - o.cnps,
          .completed = completed - o.completed,
          .failed = failed - o.failed,
          .rnr_naks = rnr_naks - o.rnr_naks,
          .timeouts = timeouts - o.timeouts};
}

void SendInterval::add(const SendInterval& o, bool owns_control) {
  qps += o.qps;
  counts += o.counts;
  sent += o.sent;
  payload += o.payload;
  carried = sum_if_known(carried, o.carried);
  goodput = sum_if_known(goodput, o.goodput);
  if (owns_control) control += o.control;
}

PortCounts& PortCounts::operator+=(const PortCounts& o) {
  wire_bytes += o.wire_bytes;
  ecn_marked += o.ecn_marked;
  dropped += o.dropped;
  pause_tx += o.pause_tx;
  pause_rx += o.pause_rx;
  cnp_forged += o.cnp_forged;
  return *this;
}

PortCounts PortCounts::operator-(const PortCounts& o) const {
  return {.wire_bytes = wire_bytes - o.wire_bytes,
          .ecn_marked = ecn_marked - o.ecn_marked,
          .dropped = dropped - o.dropped,
          .pause_tx = pause_tx - o.pause_tx,
          .pause_rx = pause_rx - o.pause_rx,
          .cnp_forged = cnp_forged - o.cnp_forged};
}

}  // namespace softfeb::stats
