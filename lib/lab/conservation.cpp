// SPDX-License-Identifier: BSD-3-Clause
#include "lab/conservation.hpp"

#include <algorithm>

namespace softfeb::lab {

std::vector<Balance> packet_balances(const stats::Sample& sample, const Stations& stations,
                                     const Edge& edge) {
  if (sample.network == nullptr) return {};
  const fabric::NetworkTotals& t = sample.network->totals;
  std::uint64_t sent = edge.ports_in;
  std::uint64_t received = edge.ports_out;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    if (stations[i] == 0) continue;
    sent += (*sample.endpoints)[i].endpoint.tx_frames;
    received += (*sample.endpoints)[i].endpoint.rx_frames;
  }
  return {{"packets_conserved", "entered, created and duplicated",
           "delivered, dropped, consumed or still in the network", t.entered + t.made + t.duplicated,
           t.delivered + t.dropped_buffer + t.dropped_fault + t.dropped_unknown + t.dropped_rules +
               t.dropped_store + t.consumed + t.in_network},
          {"packets_entered", "sent by endpoints", "entered the network or lost before it", sent,
           t.entered + edge.lost_in},
          {"packets_delivered", "delivered by the network", "received by endpoints or lost after the network",
           t.delivered, received + edge.lost_out}};
}

Balance payload_balance(const stats::Sample& sample, const std::vector<PayloadAccount>& accounts) {
  Balance b{"payload_conserved", "written to memory", "sent in completed messages", 0, 0};
  for (const PayloadAccount& a : accounts) {
    if (!a.flow.receiver) continue;
    const auto& send = (*sample.endpoints)[a.flow.board].send_qps[a.flow.qp];
    const auto& receive = (*sample.endpoints)[*a.flow.receiver].receive_qps[a.flow.receiver_qp].responder;
    std::uint64_t completed = send.completed_payload_bytes;
    if (!a.reliable || send.requester.messages_failed != 0) {
      const std::uint64_t least = receive.messages * a.message_size;
      const std::uint64_t most = send.requester.payload_bytes;
      completed = std::clamp(receive.payload_bytes, std::min(least, most), most);
    }
    b.left += receive.payload_bytes;
    b.right += completed;
  }
  return b;
}

}  // namespace softfeb::lab
