// SPDX-License-Identifier: BSD-3-Clause
#include "lab/totals.hpp"

#include <algorithm>

namespace softfeb::lab {

namespace {

void add_board(Totals& t, const engine::EndpointSnapshot& e) {
  t.resolution = std::max(t.resolution, e.resolution_took);
  for (const engine::SendQpSnapshot& qp : e.send_qps) {
    t.packets += qp.requester.packets;
    t.retransmitted += qp.requester.retransmitted_packets;
    t.timeouts += qp.requester.timeouts;
    t.messages_completed += qp.requester.messages_completed;
    t.messages_failed += qp.requester.messages_failed;
    t.cnp_rx += qp.counters.cnp_rx;
    if (!qp.on_bus && !qp.resolved) ++t.unresolved_qps;
  }
}

void add_receiver(Totals& t, const engine::EndpointSnapshot& e) {
  t.cnp_tx += e.cnp_tx;
  for (const engine::ReceiveQpSnapshot& qp : e.receive_qps) t.bytes_wrong += qp.bytes_wrong;
}

void add_network(Totals& t, const fabric::NetworkSnapshot& n) {
  const fabric::NetworkTotals& all = n.totals;
  t.dropped = all.dropped_buffer;
  t.lost =
      all.dropped_buffer + all.dropped_fault + all.dropped_unknown + all.dropped_rules + all.dropped_store;
  for (const fabric::PortSnapshot& p : n.ports) {
    t.ecn_marked += p.ecn_marked;
    t.pause_tx += p.pause_tx;
    t.cnp_forged += p.cnp_forged;
  }
}

}  // namespace

Totals totals_of(const stats::Sample& sample, std::size_t boards) {
  Totals t;
  const auto& endpoints = *sample.endpoints;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    t.pause_rx += endpoints[i].endpoint.rx_pause;
    if (i < boards) {
      add_board(t, endpoints[i]);
    } else {
      add_receiver(t, endpoints[i]);
    }
  }
  if (sample.network != nullptr) add_network(t, *sample.network);
  return t;
}

}  // namespace softfeb::lab
