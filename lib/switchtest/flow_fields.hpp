// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/trial.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::switchtest {

/// Header fields by which a switch may distinguish flows between the same two ports.
enum class FlowField : std::uint8_t { kUdpSourcePort, kDestQp, kSourceAddress };
inline constexpr std::array kFlowFields{FlowField::kUdpSourcePort, FlowField::kDestQp,
                                        FlowField::kSourceAddress};

/// The word for a field in figures, such as "udp_source_port".
const char* word(FlowField field);

/// Values of the fields in FlowField. A default flow has the default values of FrameKind.
struct Flow {
  std::uint16_t udp_source_port = 0xc000;
  std::uint32_t dest_qp = 0x100;
  std::uint16_t source_host = 0;

  /// Sets the fields of a frame to the values of this flow.
  void apply(FrameKind& kind) const;
};

/// Maximum number of source addresses that flows_by() uses. These addresses are in the subnet of the port,
/// because routers may drop frames from other addresses (RFC 3704).
inline constexpr std::uint32_t kMostAddresses = 253;
/// Returns up to `count` flows that differ only in `field`, whose values are consecutive. If `field` is the
/// source address, returns at most kMostAddresses flows.
std::vector<Flow> flows_by(FlowField field, std::uint32_t count);
/// Returns `count` flows with random values in all fields.
std::vector<Flow> random_flows(std::uint32_t count, std::uint64_t seed);

}  // namespace softfeb::switchtest
