// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/faults.hpp"

#include "roce/headers.hpp"
#include "roce/ip.hpp"

namespace softfeb::dataplane {

std::optional<RoceLocation> locate_roce(ByteSpan frame, std::uint16_t cc_port) {
  RoceLocation at;
  at.ip = roce::kEthernetSize;
  if (frame.size() < at.ip) return std::nullopt;
  std::uint16_t type = load_be16(&frame[at.ip - 2]);
  if (type == roce::kEtherTypeVlan) {
    at.ip += roce::kVlanTagSize;
    if (frame.size() < at.ip) return std::nullopt;
    type = load_be16(&frame[at.ip - 2]);
  }
  at.ipv6 = type == roce::kEtherTypeIpv6;
  if (!at.ipv6 && type != roce::kEtherTypeIpv4) return std::nullopt;
  const std::size_t udp = at.ip + (at.ipv6 ? roce::kIpv6Size : roce::kIpv4Size);
  at.content = static_cast<std::uint16_t>(udp + roce::kUdpHeaderSize);
  if (frame.size() < at.content + roce::Bth::kSize) return std::nullopt;
  const std::uint8_t protocol = at.ipv6 ? frame[at.ip + 6] : frame[at.ip + 9];
  const bool plain = at.ipv6 || frame[at.ip] == 0x45;
  if (!plain || protocol != roce::kIpProtocolUdp) return std::nullopt;
  at.bth = at.content;
  if (const std::uint16_t port = load_be16(&frame[udp + 2]); port == cc_port) {
    const auto cch = roce::CongestionHeader::decode(frame.subspan(at.content));
    if (!cch) return std::nullopt;
    at.bth = static_cast<std::uint16_t>(at.bth + cch->size());
    if (frame.size() < at.bth + roce::Bth::kSize) return std::nullopt;
  } else if (port != roce::kRoceUdpPort) {
    return std::nullopt;
  }
  at.dest_qp = load_be24(&frame[at.bth + 5]);
  at.psn = load_be24(&frame[at.bth + 9]);
  return at;
}

FaultPlan::FaultPlan(std::uint64_t seed, const FaultRates& rates, const std::vector<FaultRule>& rules)
    : rng_(seed), rates_(rates) {
  for (const FaultRule& rule : rules) rules_.push_back({rule});
  active_ =
      (rates.drop | rates.corrupt | rates.duplicate | rates.reorder | rates.mark_ce) != 0 || !rules.empty();
}

FaultVerdict FaultPlan::judge(const RoceLocation& packet) {
  FaultVerdict v;
  v.drop = rng_.chance(rates_.drop);
  v.corrupt = rng_.chance(rates_.corrupt);
  v.duplicate = rng_.chance(rates_.duplicate);
  v.reorder = rng_.chance(rates_.reorder);
  v.mark_ce = rng_.chance(rates_.mark_ce);
  v.where = rng_.next();
  for (Rule& r : rules_) {
    if (r.rule.qpn != packet.dest_qp || r.rule.psn != packet.psn || ++r.seen != r.rule.nth) continue;
    v.drop |= r.rule.action == FaultAction::kDrop;
    v.corrupt |= r.rule.action == FaultAction::kCorrupt;
    v.mark_ce |= r.rule.action == FaultAction::kMarkCe;
  }
  return v;
}

}  // namespace softfeb::dataplane
