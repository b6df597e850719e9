// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_negotiation.hpp"

#include "srp/rssi_header.hpp"

#include <algorithm>

namespace softfeb::srp::rssi {

namespace {

/// Bounds of the negotiated times. Faster retransmissions or keep-alives would let any client turn us into a
/// traffic source.
constexpr std::uint16_t kMinRetransmitMs = 5;
constexpr std::uint16_t kMaxRetransmitMs = 10'000;
constexpr std::uint16_t kMaxCumulativeAckMs = 1'000;
constexpr std::uint16_t kMinNullMs = 30;

}  // namespace

bool usable(const RssiParameters& parameters) {
  return parameters.max_outstanding >= 1 && parameters.max_segment >= kMinSegment;
}

RssiParameters negotiate(const RssiParameters& client, const RssiParameters& local) {
  RssiParameters p;
  const std::uint8_t window = std::clamp<std::uint8_t>(local.max_outstanding, 1, kMaxOutstanding);
  p.max_outstanding = std::clamp<std::uint8_t>(client.max_outstanding, 1, window);
  p.max_segment = std::max(kMinSegment, std::min(client.max_segment, local.max_segment));
  p.retransmit_ms = std::clamp(client.retransmit_ms, kMinRetransmitMs, kMaxRetransmitMs);
  p.cumulative_ack_ms = std::clamp<std::uint16_t>(client.cumulative_ack_ms, 1, kMaxCumulativeAckMs);
  p.null_ms = std::max(client.null_ms, kMinNullMs);
  p.max_retransmissions = std::max<std::uint8_t>(client.max_retransmissions, 2);
  p.max_cumulative_acks = std::clamp<std::uint8_t>(client.max_cumulative_acks, 1, p.max_outstanding);
  return p;
}

}  // namespace softfeb::srp::rssi
