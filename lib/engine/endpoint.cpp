// SPDX-License-Identifier: BSD-3-Clause
#include "engine/endpoint.hpp"

#include "detector/trigger_message.hpp"
#include "roce/congestion_frame.hpp"

namespace softfeb::engine {

RxVerdict Endpoint::receive(const roce::ParsedFrame& frame, Time now) {
  ++counters_.rx_frames;
  // A promiscuous port also delivers frames for other MAC addresses.
  const bool group = frame.kind == roce::FrameKind::kArp || frame.dest_ip.bytes[0] == 0xff ||
                     (frame.kind == roce::FrameKind::kMacControl && frame.dest_mac == roce::kPauseAddress);
  if (!group && !roce::same_mac(frame.dest_mac, identity().mac)) {
    ++counters_.rx_other;
    return RxVerdict::kConsumed;
  }
  switch (frame.kind) {
    case roce::FrameKind::kUdp:
      if (frame.dest_port == roce::kRoceUdpPort) {
        receive_roce(frame, now);
        return RxVerdict::kConsumed;
      }
      if (cc_port_ != 0 && frame.dest_port == cc_port_) {
        receive_with_header(frame, now);
        return RxVerdict::kConsumed;
      }
      if (frame.dest_port == kRegisterUdpPort || frame.dest_port == kStreamUdpPort) {
        ++counters_.rx_control;
        return RxVerdict::kControl;
      }
      if (frame.dest_port == detector::kTriggerPort && receive_trigger(frame, now)) {
        ++counters_.rx_host;
        return RxVerdict::kConsumed;
      }
      if (receive_datagram(frame, now)) {
        ++counters_.rx_datagrams;
        return RxVerdict::kConsumed;
      }
      break;
    case roce::FrameKind::kArp:
      ++counters_.rx_host;
      if (const auto learned = host_.on_arp(frame, now)) neighbour_learned(*learned, now);
      return RxVerdict::kConsumed;
    case roce::FrameKind::kIcmp:
      if (std::optional<roce::IpAddress> learned; host_.on_discovery(frame, now, learned)) {
        ++counters_.rx_host;
        if (learned) neighbour_learned(*learned, now);
        return RxVerdict::kConsumed;
      }
      if (host_.on_icmp(frame)) {
        ++counters_.rx_host;
        return RxVerdict::kConsumed;
      }
      break;
    case roce::FrameKind::kMacControl:
      receive_pause(frame, now);
      return RxVerdict::kConsumed;
    default:
      break;
  }
  ++counters_.rx_other;
  return RxVerdict::kConsumed;
}

void Endpoint::receive_with_header(const roce::ParsedFrame& frame, Time now) {
  roce::CchScratch scratch;
  const auto header = roce::decode_congestion_header(frame, scratch);
  roce::ParsedFrame plain = frame;
  roce::PlainHeaders headers;
  if (!header || !roce::remove_congestion_header(plain, header->size(), headers)) {
    ++counters_.rx_bad_cch;
    return;
  }
  receive_congestion(plain, *header, now);
}

void Endpoint::receive_pause(const roce::ParsedFrame& frame, Time now) {
  const auto control = roce::parse_mac_control(frame.content);
  const auto earlier = control ? pause_.receive(*control, now) : std::nullopt;
  if (!earlier) {
    ++counters_.rx_other;
    return;
  }
  ++counters_.rx_pause;
  if (*earlier != 0) resumed(*earlier, now);
}

void Endpoint::control_frame_sent(std::uint32_t length, Time /*now*/) {
  ++counters_.tx_control;
  ++counters_.tx_frames;
  counters_.tx_bytes += length;
}

}  // namespace softfeb::engine
