// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/flow_fields.hpp"

#include "base/rng.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kEphemeralPorts = 0x4000;  // 0xc000 to 0xffff (IBA, annex A17.9.2)
constexpr std::uint32_t kQpns = 0x8000;

Flow flow_of(std::uint32_t port, std::uint32_t qp, std::uint32_t host) {
  const Flow first;
  return {static_cast<std::uint16_t>(first.udp_source_port + port % kEphemeralPorts),
          first.dest_qp + qp % kQpns, static_cast<std::uint16_t>(first.source_host + host % kMostAddresses)};
}

}  // namespace

const char* word(FlowField field) {
  switch (field) {
    case FlowField::kUdpSourcePort:
      return "udp_source_port";
    case FlowField::kDestQp:
      return "dest_qp";
    case FlowField::kSourceAddress:
      break;
  }
  return "source_address";
}

void Flow::apply(FrameKind& kind) const {
  kind.udp_source_port = udp_source_port;
  kind.dest_qp = dest_qp;
  kind.source_host = source_host;
}

std::vector<Flow> flows_by(FlowField field, std::uint32_t count) {
  if (field == FlowField::kSourceAddress) count = std::min(count, kMostAddresses);
  std::vector<Flow> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    out.push_back(flow_of(field == FlowField::kUdpSourcePort ? i : 0, field == FlowField::kDestQp ? i : 0,
                          field == FlowField::kSourceAddress ? i : 0));
  }
  return out;
}

std::vector<Flow> random_flows(std::uint32_t count, std::uint64_t seed) {
  Rng random(seed);
  std::vector<Flow> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto number = [&] { return static_cast<std::uint32_t>(random.next() >> 32); };
    const std::uint32_t port = number(), qp = number();
    out.push_back(flow_of(port, qp, number()));
  }
  return out;
}

}  // namespace softfeb::switchtest
