// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/metrics.hpp"
#include "lab/sample.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::lab {

/// Two numbers that are the same when nothing was lost or made unseen.
struct Balance {
  std::string name;  ///< of the check, such as packets_conserved
  std::string left_is, right_is;
  std::uint64_t left = 0, right = 0;

  std::uint64_t difference() const { return left > right ? left - right : right - left; }
  bool holds() const { return left == right; }
};

/// What passes between stations and network beside the endpoints' own frames. In virtual time all are 0.
struct Edge {
  std::uint64_t ports_in = 0;   ///< frames that came in by the machine's ports
  std::uint64_t ports_out = 0;  ///< frames for those
  std::uint64_t lost_in = 0;    ///< sent by an endpoint and lost, counted, before the network had it
  std::uint64_t lost_out =
      0;  ///< delivered by the network and lost, counted, before an endpoint looked at it
};

/// Which endpoints are stations of the network; as Sample::endpoints.
using Stations = std::vector<std::uint8_t>;

/// Packets at the end of a run, when all is quiet: entered + made + duplicated = delivered + dropped +
/// consumed + in the network; what endpoints sent = what entered; what was delivered = what endpoints
/// received. Empty without a network.
std::vector<Balance> packet_balances(const Sample& sample, const Stations& stations, const Edge& edge = {});

/// A queue pair whose payload is accounted for.
struct PayloadAccount {
  MetricsConfig::Flow flow;
  bool reliable = true;
  std::uint32_t message_size = 0;  ///< 0: messages differ
};

/// Payload bytes that receivers wrote to memory = bytes of completed messages. Where a queue pair failed, or
/// is unreliable, nobody knows what became of the last message: it is taken out of the sum when the receiver
/// wrote at least its complete messages and at most what was sent.
Balance payload_balance(const Sample& sample, const std::vector<PayloadAccount>& accounts);

}  // namespace softfeb::lab
