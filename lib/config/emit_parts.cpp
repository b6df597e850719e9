// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/choices.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"

namespace softfeb::config {
namespace {

Json emit_capture(const CaptureConfig& capture) {
  return {{"file", capture.file},
          {"packets", capture.packets},
          {"on", choices::kCaptureMode.name(capture.on)},
          {"snaplen", capture.snaplen},
          {"direction", choices::kCaptureDirection.name(capture.direction)}};
}

Json emit_target(const RunConfig& config, const QpConfig& qp) {
  if (const auto* to = std::get_if<AddressTarget>(&qp.to)) {
    Json json = {{"ip", to_string(to->ip)}, {"qpn", to->qpn},         {"psn", to->psn},
                 {"rkey", to->rkey},        {"address", to->address}, {"length", format_size(to->length)}};
    if (to->mac) json["mac"] = to_string(*to->mac);
    return json;
  }
  const auto* to = std::get_if<ReceiverTarget>(&qp.to);
  if (to == nullptr) return qp.to_text;
  Json names = Json::array();
  for (const std::size_t r : to->receivers) names.push_back(config.receivers[r].endpoint.name);
  return names.size() == 1 ? names.front() : names;
}

Json emit_payload(const PayloadConfig& payload) {
  if (payload.kind != board::PayloadKind::kFile) return choices::kPayload.name(payload.kind);
  return {{"file", payload.file}, {"repeat", payload.repeat}};
}

Json emit_immediate(const ImmediateConfig& immediate) {
  switch (immediate.kind) {
    case ImmediateConfig::Kind::kCounter:
      return "counter";
    case ImmediateConfig::Kind::kChannel:
      return "channel";
    case ImmediateConfig::Kind::kValue:
      break;
  }
  return immediate.value;
}

Json emit_arrivals(const ArrivalsConfig& arrivals) {
  Json json;
  if (arrivals.load) {
    json["load"] = format_probability(*arrivals.load);
  } else {
    json["rate"] = format_rate(arrivals.given);
  }
  json["queue"] = choices::kQueue.name(arrivals.queue);
  return json;
}

void emit_transfer(Json& json, const TransferConfig& t) {
  json["transfer"] = format_size(t.bytes);
  json["segment"] = format_size(t.segment);
  json["threshold"] = format_size(t.threshold);
  if (t.notify_sender) {
    json["notify"] = "sender";
  } else {
    json["registered"] = t.registered;
  }
}

/// Emits the keys that determine when messages are sent. The loader rejects `rate` and `burst` for beamlets.
void emit_schedule(Json& json, const TrafficConfig& traffic) {
  json["kind"] = choices::kTraffic.name(traffic.beamlets.has_value());
  if (traffic.beamlets) {
    const BeamletsConfig& b = *traffic.beamlets;
    json["period"] = format_time(traffic.rate.period);
    json["phase"] = b.spread ? "spread" : format_time(b.phase);
    return;
  }
  if (traffic.arrivals) json["arrivals"] = emit_arrivals(*traffic.arrivals);
  json["rate"] = format_rate(traffic.rate);
  json["burst"] = traffic.burst;
}

Json emit_traffic(const TrafficConfig& traffic) {
  Json json;
  if (traffic.transfer) {
    emit_transfer(json, *traffic.transfer);
  } else {
    json["verb"] = choices::kVerb.name(traffic.verb);
  }
  if (traffic.transfer) {
    // The keys of the transfer determine the lengths of the messages.
  } else if (traffic.lengths) {
    json["lengths"] = traffic.lengths->text;
  } else {
    json["message_size"] = format_size(traffic.message_size);
  }
  emit_schedule(json, traffic);
  if (traffic.seed) json["seed"] = *traffic.seed;
  if (traffic.messages) json["messages"] = *traffic.messages;
  json["payload"] = emit_payload(traffic.payload);
  if (traffic.verb == roce::WrOpcode::kWriteImm && !traffic.transfer)
    json["immediate"] = emit_immediate(traffic.immediate);
  json["slots"] = traffic.slots;
  return json;
}

/// Emits the keys that apply to RC only. The loader rejects them for UC.
void emit_rc(Json& json, const QpConfig& qp) {
  json["timeout"] = qp.timeout;
  json["retry_count"] = qp.retry_count;
  json["rnr_retry"] = qp.rnr_retry;
  json["min_rnr_timer"] = qp.min_rnr_timer;
  json["window"] = qp.window;
  json["window_packets"] = qp.window_packets;
  json["ack_every"] = qp.ack_every;
}

}  // namespace

Json emit_port(const PortConfig& port) {
  Json json;
  json["name"] = port.name;
  json["device"] = port.device.text;
  if (port.mtu) json["mtu"] = *port.mtu;
  json["flow_control"] = choices::kFlowControl.name(port.flow_control);
  json["promiscuous"] = choices::kPromiscuous.name(port.promiscuous);
  json["steering"] = choices::kSteering.name(port.steering);
  json["tx_segments"] = choices::kTxSegments.name(port.tx_segments);
  json["pacing"] = choices::kPacing.name(port.pacing);
  json["pacing_horizon"] = format_time(port.pacing_horizon);
  json["rx_descriptors"] = port.rx_descriptors;
  json["tx_descriptors"] = port.tx_descriptors;
  json["faults"] = emit_faults(port.faults);
  if (port.capture) json["capture"] = emit_capture(*port.capture);
  return json;
}

Json emit_endpoint(const RunConfig& config, const EndpointConfig& e) {
  Json json;
  json["name"] = e.name;
  if (!e.network) json["port"] = config.ports[e.port].name;
  json["worker"] = e.worker;
  json["mac"] = to_string(e.mac);
  json["ip"] = to_string(e.ip) + '/' + std::to_string(e.prefix_length);
  if (e.vlan) json["vlan"] = *e.vlan;
  if (e.vlan) json["pcp"] = e.pcp;
  if (e.gateway) json["gateway"] = to_string(*e.gateway);
  for (const Neighbour& n : e.neighbours) json["neighbours"][to_string(n.ip)] = to_string(n.mac);
  json["dscp"] = e.dscp;
  json["ecn"] = choices::kEcn.name(e.ecn);
  json["ttl"] = e.ttl;
  json["pause"] = choices::kPauseMode.name(e.pause);
  if (e.cc_header) json["cc_header"] = true;
  return json;
}

Json emit_qp(const RunConfig& config, const QpConfig& qp) {
  Json json;
  json["count"] = qp.count;
  json["transport"] = choices::kTransport.name(qp.transport);
  json["qpn"] = qp.qpn;
  json["pmtu"] = qp.pmtu;
  json["psn"] = qp.psn;
  if (qp.transport == roce::Transport::kRc) emit_rc(json, qp);
  json["send_queue"] = qp.send_queue;
  json["signaled"] = choices::kSignaled.name(qp.signaled);
  json["sq_sig_all"] = qp.sq_sig_all;
  json["solicited"] = qp.solicited;
  json["to"] = emit_target(config, qp);
  json["traffic"] = emit_traffic(qp.traffic);
  if (qp.congestion) json[qp.congestion->key()] = emit_congestion(*qp.congestion);
  return json;
}

Json emit_control(const RunConfig& config, const ControlConfig& c) {
  Json json;
  json["listen"] = c.listen ? to_string(*c.listen) : "none";
  json["registers_port"] = c.registers_port;
  json["stream_port"] = c.stream_port;
  json["in_band"] = c.in_band;
  json["allow"] = Json::array();
  for (const IpPrefix& network : c.allow) json["allow"].push_back(to_string(network));
  json["max_connects_per_second"] = c.max_connects_per_second;
  json["profile"] = c.profile;
  json["pds"] = c.pds;
  json["mrs"] = c.mrs;
  json["qps"] = c.qps;
  json["send_queue"] = c.send_queue;
  json["window"] = c.window;
  json["remote"] = c.remote ? to_string(*c.remote) : "0.0.0.0";
  if (c.responder) json["responder"] = config.receivers[*c.responder].endpoint.name;
  json["slots"] = choices::kDcqcnSlots.name(c.slots);
  return json;
}

}  // namespace softfeb::config
