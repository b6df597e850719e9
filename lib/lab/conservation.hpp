// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/metrics.hpp"
#include "stats/sample.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::lab {

/// Two counts that are equal unless something was lost or created without being counted.
struct Balance {
  std::string name;  ///< name of the check, such as packets_conserved
  std::string left_is, right_is;
  std::uint64_t left = 0, right = 0;

  std::uint64_t difference() const { return left > right ? left - right : right - left; }
  bool holds() const { return left == right; }
};

/// Frames that enter or leave the network, but not through endpoints of this process, and frames lost at the
/// edge of the network. In virtual time, only `lost_out` can be nonzero.
struct Edge {
  std::uint64_t ports_in = 0;   ///< frames received on the host's ports
  std::uint64_t ports_out = 0;  ///< frames sent to the host's ports
  /// Frames that endpoints sent, but that were lost on the way into the network. Every such loss is
  /// counted.
  std::uint64_t lost_in = 0;
  /// Frames that the network delivered, but that were lost on the way to an endpoint, or were not for the
  /// endpoint. Every such frame is counted.
  std::uint64_t lost_out = 0;
};

/// Marks the endpoints that are stations of the network; indexed like Sample::endpoints.
using Stations = std::vector<std::uint8_t>;

/// Returns the packet balances at the end of a run, after the drain: entered + made + duplicated = delivered
/// + dropped + consumed + in the network; sent by endpoints = entered; delivered = received by endpoints. The
/// balances include the frames counted in `edge`. The result is empty without a network.
std::vector<Balance> packet_balances(const stats::Sample& sample, const Stations& stations,
                                     const Edge& edge = {});

/// A queue pair whose payload is checked for conservation.
struct PayloadAccount {
  MetricsConfig::Flow flow;
  bool reliable = true;
  std::uint32_t message_size = 0;  ///< message size in bytes; 0 if messages differ in size
};

/// Compares the payload bytes that receivers wrote to memory with the payload bytes of completed messages.
/// The fate of the last message is unknown if a queue pair failed or is unreliable. Such a queue pair
/// balances if its receiver wrote at least the payload of the messages that arrived completely, and at most
/// the payload that was sent.
Balance payload_balance(const stats::Sample& sample, const std::vector<PayloadAccount>& accounts);

}  // namespace softfeb::lab
