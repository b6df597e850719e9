// SPDX-License-Identifier: BSD-3-Clause
#include "report/control_result.hpp"

#include "config/address.hpp"
#include "telemetry/links.hpp"

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the results of one RSSI link. `packets_dropped` is the number of packets that the packetizer
/// dropped.
Json link_result(const slowcontrol::ControlLink& link, std::uint64_t packets_dropped) {
  const srp::RssiStatus& s = link.server().status();
  return {{"connections", s.reconnects},
          {"segments_rx", s.rx_segments},
          {"segments_tx", s.tx_segments},
          {"bytes_rx", s.rx_bytes},
          {"bytes_tx", s.tx_bytes},
          {"dropped", s.dropped},
          {"retransmitted", s.retransmitted},
          {"packets_dropped", packets_dropped},
          {"connects_refused", s.refused},
          {"not_allowed", link.refused()},
          {"closed_by_reason", telemetry::reasons_json(link.history())},
          {"closed", telemetry::closed_json(link.history())}};
}

}  // namespace

Json control_result(const slowcontrol::BoardControl& board) {
  const config::ControlConfig& c = board.config();
  const srp::SrpServerCounters& s = board.srp().counters();
  Json j;
  j["listen"] = c.listen ? Json(config::to_string(*c.listen)) : Json(nullptr);
  j["registers_port"] = c.registers_port;
  j["stream_port"] = c.stream_port;
  j["in_band"] = c.in_band;
  j["profile"] = c.profile;
  j["accesses"] = s.requests;
  j["posted_writes"] = s.posted;
  j["malformed"] = s.refused;
  j["bus_errors"] = s.bus_errors;
  j["stream_frames_tx"] = board.stream().sent().frames;
  j["stream_frames_rx"] = board.stream().received().frames;
  j["registers"] = link_result(board.link(slowcontrol::BoardControl::kRegisters), board.srp().dropped());
  j["stream"] = link_result(board.link(slowcontrol::BoardControl::kStream), board.stream().dropped());
  return j;
}

bool made_by_bus(const engine::SendQpSnapshot& qp) {
  return qp.on_bus && (qp.exists || qp.messages_made != 0);
}

Json bus_qp_result(const engine::SendQpSnapshot& qp, const stats::QpRates& f) {
  const roce::RequesterCounters& r = qp.requester;
  Json j{{"made_by", "bus"},
         {"exists", qp.exists},
         {"qpn", qp.qpn},
         {"dest_qpn", qp.dest_qpn},
         {"tx_packets", r.packets},
         {"tx_payload_bytes", r.payload_bytes},
         {"tx_counted_bytes", qp.counters.counted_bytes}};
  stats::add_rates(j, f);
  j.update({{"messages_posted", qp.messages_made},
            {"messages_completed", r.messages_completed},
            {"messages_failed", r.messages_failed},
            {"first_failure", qp.failure ? Json(roce::to_string(*qp.failure)) : Json(nullptr)},
            {"retransmitted_packets", r.retransmitted_packets},
            {"timeouts", r.timeouts},
            {"ack_rx", r.ack_rx},
            {"rnr_rx", r.rnr_rx},
            {"cnp_rx", qp.counters.cnp_rx}});
  return j;
}

}  // namespace softfeb::report
