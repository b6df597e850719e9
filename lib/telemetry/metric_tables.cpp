// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/metric_tables.hpp"

#include "stats/control_state.hpp"

#include <string_view>

namespace softfeb::telemetry {
namespace {

using congestion::CongestionState;
using detector::StreamCounts;
using detector::StreamReason;
using detector::StreamVerdict;
using engine::EndpointCounters;
using engine::EndpointSnapshot;
using engine::ReceiveQpSnapshot;
using engine::SendQpSnapshot;
using fabric::NetworkTotals;
using fabric::PortSnapshot;

using CongestionValue = std::optional<double>;

CongestionValue seconds_if(const std::optional<Time>& time) {
  return time ? CongestionValue(to_seconds(*time)) : std::nullopt;
}

template <auto Count>
std::uint64_t sum(const EndpointSnapshot& e) {
  std::uint64_t total = 0;
  for (const ReceiveQpSnapshot& qp : e.receive_qps) total += Count(qp);
  return total;
}

std::uint64_t naks(const SendQpSnapshot& q) {
  const roce::RequesterCounters& c = q.requester;
  return c.nak_sequence_rx + c.nak_invalid_request_rx + c.nak_remote_access_rx + c.nak_remote_operational_rx +
         c.nak_invalid_rd_rx;
}

constexpr SendQpMetric kSendQp[] = {
    {"sent_packets_total", "Request packets sent, retransmissions included.",
     [](const SendQpSnapshot& q) { return q.requester.packets; }},
    {"sent_bytes_total",
     "Bytes sent as congestion control counts them: BTH to pad, retransmissions included.",
     [](const SendQpSnapshot& q) { return q.counters.counted_bytes; }},
    {"sent_payload_bytes_total", "Payload bytes sent for the first time.",
     [](const SendQpSnapshot& q) { return q.requester.payload_bytes; }},
    {"completed_payload_bytes_total",
     "Payload bytes of messages that completed with success: RC acknowledged, UC sent.",
     [](const SendQpSnapshot& q) { return q.completed_payload_bytes; }},
    {"messages_completed_total", "Messages that completed with success: RC acknowledged, UC sent.",
     [](const SendQpSnapshot& q) { return q.requester.messages_completed; }},
    {"messages_failed_total", "Messages that completed with any other status.",
     [](const SendQpSnapshot& q) { return q.requester.messages_failed; }},
    {"retransmitted_packets_total", "Packets retransmitted.",
     [](const SendQpSnapshot& q) { return q.requester.retransmitted_packets; }},
    {"timeouts_total", "Timeouts of the acknowledgement timer.",
     [](const SendQpSnapshot& q) { return q.requester.timeouts; }},
    {"received_acks_total", "Acknowledgements received.",
     [](const SendQpSnapshot& q) { return q.requester.ack_rx; }},
    {"received_naks_total", "NAKs received, except RNR NAKs.", naks},
    {"received_rnr_naks_total", "RNR NAKs received.",
     [](const SendQpSnapshot& q) { return q.requester.rnr_rx; }},
    {"received_cnps_total", "Congestion notification packets received.",
     [](const SendQpSnapshot& q) { return q.counters.cnp_rx; }},
};

constexpr CongestionMetric kCongestion[] = {
    {"current_rate_bytes_per_second",
     "Current rate Rc of congestion control; for a pure window algorithm, the window divided by the RTT.",
     [](const CongestionState& s) -> CongestionValue { return static_cast<double>(s.rate); }},
    {"target_rate_bytes_per_second",
     "Target rate Rt of congestion control; equals the current rate if the algorithm has none.",
     [](const CongestionState& s) -> CongestionValue { return static_cast<double>(s.target_rate); }},
    {"alpha_ratio", "Alpha of DCQCN, 0 to 1.",
     [](const CongestionState& s) -> CongestionValue { return stats::alpha_of(s); }},
    {"window_bytes", "Counted bytes (BTH to pad) that may be in flight.",
     [](const CongestionState& s) -> CongestionValue { return s.window; }},
    {"rtt_seconds", "Last round-trip time that the algorithm used.",
     [](const CongestionState& s) -> CongestionValue { return seconds_if(s.rtt); }},
    {"target_delay_seconds", "Target of the delay.",
     [](const CongestionState& s) -> CongestionValue { return seconds_if(s.target_delay); }},
    {"utilization_ratio", "Normalized load U of the bottleneck, as estimated by HPCC.",
     [](const CongestionState& s) -> CongestionValue { return s.utilization; }},
    {"granted_packets", "Packets that the receiver's grants allow to be sent, since the start.",
     [](const CongestionState& s) -> CongestionValue {
       return s.granted ? CongestionValue(static_cast<double>(*s.granted)) : std::nullopt;
     }},
};

constexpr ReceiverMetric kReceiver[] = {
    {"received_packets_total", "Request packets received by its queue pairs.",
     sum<[](const ReceiveQpSnapshot& q) { return q.responder.packets; }>},
    {"payload_bytes_total", "Payload bytes placed in memory.",
     sum<[](const ReceiveQpSnapshot& q) { return q.responder.payload_bytes; }>},
    {"completed_payload_bytes_total", "Payload bytes of completely received messages.",
     sum<[](const ReceiveQpSnapshot& q) { return q.responder.completed_bytes; }>},
    {"messages_total", "Completely received messages.",
     sum<[](const ReceiveQpSnapshot& q) { return q.responder.messages; }>},
    {"checked_bytes_total", "Payload bytes compared with the expected payload.",
     sum<[](const ReceiveQpSnapshot& q) { return q.bytes_checked; }>},
    {"wrong_bytes_total", "Compared payload bytes that differed.",
     sum<[](const ReceiveQpSnapshot& q) { return q.bytes_wrong; }>},
    {"out_of_order_packets_total", "Packets received after a gap in the PSNs.",
     sum<[](const ReceiveQpSnapshot& q) { return q.responder.out_of_order; }>},
    {"duplicate_packets_total", "Duplicate packets received.",
     sum<[](const ReceiveQpSnapshot& q) { return q.responder.duplicate; }>},
    {"ce_packets_total", "Packets received with Congestion Experienced.",
     sum<[](const ReceiveQpSnapshot& q) { return q.congestion_experienced; }>},
    {"sent_cnps_total", "Congestion notification packets sent.",
     [](const EndpointSnapshot& e) { return e.cnp_tx; }},
};

constexpr TrafficGenMetric kTrafficGen[] = {
    {"running", "1 while the generator sends a burst.", false,
     [](const EndpointSnapshot& e) { return std::uint64_t{e.traffic_gen_running ? 1U : 0U}; }},
    {"bursts_total", "Bursts started.", true,
     [](const EndpointSnapshot& e) { return e.traffic_gen->bursts; }},
    {"datagrams_total", "UDP datagrams sent.", true,
     [](const EndpointSnapshot& e) { return e.traffic_gen->datagrams; }},
    {"datagram_bytes_total", "Payload bytes of these datagrams.", true,
     [](const EndpointSnapshot& e) { return e.traffic_gen->datagram_bytes; }},
    {"writes_total", "RDMA WRITEs sent.", true,
     [](const EndpointSnapshot& e) { return e.traffic_gen->writes; }},
    {"write_bytes_total", "Payload bytes of these WRITEs.", true,
     [](const EndpointSnapshot& e) { return e.traffic_gen->write_bytes; }},
};

constexpr const char* kClosedHelp = "Buffers closed, by reason.";
constexpr const char* kDroppedHelp = "Datagrams that were not appended to a buffer, by reason.";

constexpr StreamMetric kStream[] = {
    {"datagrams_total", "Datagrams appended to buffers.", nullptr,
     [](const StreamCounts& c) { return c[StreamVerdict::kAppended]; }},
    {"bytes_total", "Bytes of these datagrams.", nullptr, [](const StreamCounts& c) { return c.bytes; }},
    {"closed_buffers_total", kClosedHelp, "full",
     [](const StreamCounts& c) { return c[StreamReason::kFull]; }},
    {"closed_buffers_total", kClosedHelp, "timeout",
     [](const StreamCounts& c) { return c[StreamReason::kTimeout]; }},
    {"closed_buffers_total", kClosedHelp, "end", [](const StreamCounts& c) { return c[StreamReason::kEnd]; }},
    {"dropped_datagrams_total", kDroppedHelp, "no_buffer",
     [](const StreamCounts& c) { return c[StreamVerdict::kNoBuffer]; }},
    {"dropped_datagrams_total", kDroppedHelp, "too_long",
     [](const StreamCounts& c) { return c[StreamVerdict::kTooLong]; }},
    {"dropped_datagrams_total", kDroppedHelp, "empty",
     [](const StreamCounts& c) { return c[StreamVerdict::kEmpty]; }},
    {"dropped_datagrams_total", kDroppedHelp, "other_port",
     [](const StreamCounts& c) { return c[StreamVerdict::kOtherPort]; }},
};

constexpr EndpointMetric kEndpoint[] = {
    {"received_frames_total", "Frames received.", [](const EndpointCounters& c) { return c.rx_frames; }},
    {"sent_frames_total", "Frames sent.", [](const EndpointCounters& c) { return c.tx_frames; }},
    {"sent_frame_bytes_total", "Bytes of these frames, from Ethernet header to iCRC.",
     [](const EndpointCounters& c) { return c.tx_bytes; }},
};

constexpr DropReason kDrops[] = {
    {"icrc", [](const EndpointCounters& c) { return c.rx_icrc_errors; }},
    {"unknown_qp", [](const EndpointCounters& c) { return c.rx_unknown_qp; }},
    {"wrong_peer", [](const EndpointCounters& c) { return c.rx_wrong_peer; }},
    {"bad_transport", [](const EndpointCounters& c) { return c.rx_bad_transport; }},
    {"bad_cch", [](const EndpointCounters& c) { return c.rx_bad_cch; }},
    {"other", [](const EndpointCounters& c) { return c.rx_other; }},
};

constexpr PortMetric kPort[] = {
    {"queue_bytes", "Bytes in the queue.", false, [](const PortSnapshot& p) { return p.queue_bytes; },
     nullptr},
    {"queue_max_bytes", "Largest number of bytes in the queue.", false,
     [](const PortSnapshot& p) { return p.queue_bytes_max; }, nullptr},
    {"rate_bytes_per_second", "Rate of the link, on the wire.", false,
     [](const PortSnapshot& p) { return p.rate; }, nullptr},
    {"sent_packets_total", "Packets sent.", true, [](const PortSnapshot& p) { return p.tx_packets; },
     nullptr},
    {"sent_wire_bytes_total", "Bytes sent, with preamble, FCS and gap.", true,
     [](const PortSnapshot& p) { return p.tx_wire_bytes; }, nullptr},
    {"received_packets_total", "Packets received.", true, [](const PortSnapshot& p) { return p.rx_packets; },
     nullptr},
    {"ecn_marked_packets_total", "Packets marked Congestion Experienced.", true,
     [](const PortSnapshot& p) { return p.ecn_marked; }, nullptr},
    {"dropped_packets_total", "Packets that the switch dropped.", true,
     [](const PortSnapshot& p) { return p.dropped; }, nullptr},
    {"ecn_dropped_packets_total", "Packets dropped because they are not ECN-capable.", true,
     [](const PortSnapshot& p) { return p.ecn_dropped; }, nullptr},
    {"sent_pause_frames_total", "Pause frames sent, 802.3x and PFC.", true,
     [](const PortSnapshot& p) { return p.pause_tx; }, nullptr},
    {"received_pause_frames_total", "Pause frames received.", true,
     [](const PortSnapshot& p) { return p.pause_rx; }, nullptr},
    {"paused_seconds_total", "Time for which the port was paused with packets to send.", true, nullptr,
     [](const PortSnapshot& p) { return to_seconds(p.paused); }},
    {"watchdog_storms_total", "Classes in which the PFC watchdog found a storm.", true,
     [](const PortSnapshot& p) { return p.watchdog_storms; }, nullptr},
    {"watchdog_restored_total", "Ends of these storms.", true,
     [](const PortSnapshot& p) { return p.watchdog_restored; }, nullptr},
    {"watchdog_dropped_packets_total", "Packets dropped in storms.", true,
     [](const PortSnapshot& p) { return p.watchdog_dropped; }, nullptr},
    {"watchdog_forwarded_packets_total", "Packets sent in storms although their class was paused.", true,
     [](const PortSnapshot& p) { return p.watchdog_forwarded; }, nullptr},
    {"forged_cnps_total", "CNPs generated by the threshold switch.", true,
     [](const PortSnapshot& p) { return p.cnp_forged; }, nullptr},
    {"cch_hops_total", "Packets in whose congestion control header the port counted a hop.", true,
     [](const PortSnapshot& p) { return p.cch_hops; }, nullptr},
    {"cch_invalid_packets_total", "Packets with a wrong congestion control header, forwarded unchanged.",
     true, [](const PortSnapshot& p) { return p.cch_invalid; }, nullptr},
};

constexpr PacketFate kFates[] = {
    {"entered", [](const NetworkTotals& t) { return t.entered; }},
    {"made", [](const NetworkTotals& t) { return t.made; }},
    {"duplicated", [](const NetworkTotals& t) { return t.duplicated; }},
    {"delivered", [](const NetworkTotals& t) { return t.delivered; }},
    {"consumed", [](const NetworkTotals& t) { return t.consumed; }},
    {"dropped_buffer", [](const NetworkTotals& t) { return t.dropped_buffer; }},
    {"dropped_fault", [](const NetworkTotals& t) { return t.dropped_fault; }},
    {"dropped_unknown", [](const NetworkTotals& t) { return t.dropped_unknown; }},
    {"dropped_rules", [](const NetworkTotals& t) { return t.dropped_rules; }},
    {"dropped_store", [](const NetworkTotals& t) { return t.dropped_store; }},
    {"corrupted", [](const NetworkTotals& t) { return t.corrupted; }},
    {"reordered", [](const NetworkTotals& t) { return t.reordered; }},
};

}  // namespace

std::uint64_t SendQpMetric::sum(const engine::EndpointSnapshot& board) const {
  std::uint64_t sum = 0;
  for (const SendQpSnapshot& qp : board.send_qps) sum += value(qp);
  return sum;
}

std::string StreamMetric::column() const {
  constexpr std::string_view kTotal = "_total";
  std::string text = name;
  if (reason != nullptr) text.insert(text.size() - kTotal.size(), std::string("_") + reason);
  return text;
}

std::span<const SendQpMetric> send_qp_metrics() { return kSendQp; }
std::span<const CongestionMetric> congestion_metrics() { return kCongestion; }
std::span<const ReceiverMetric> receiver_metrics() { return kReceiver; }
std::span<const TrafficGenMetric> traffic_gen_metrics() { return kTrafficGen; }
std::span<const StreamMetric> stream_metrics() { return kStream; }
std::span<const EndpointMetric> endpoint_metrics() { return kEndpoint; }
std::span<const DropReason> drop_reasons() { return kDrops; }
std::span<const PortMetric> port_metrics() { return kPort; }
std::span<const PacketFate> packet_fates() { return kFates; }

}  // namespace softfeb::telemetry
