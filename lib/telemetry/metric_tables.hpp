// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// Tables of all metrics, used by /metrics, the page's table of counters, and DPDK telemetry. Names follow
/// the conventions of Prometheus and do not include the prefix.
namespace softfeb::telemetry {

struct SendQpMetric {
  const char* name;
  const char* help;
  std::uint64_t (*value)(const engine::SendQpSnapshot&);

  std::uint64_t sum(const engine::EndpointSnapshot& board) const;
};
struct CongestionMetric {
  const char* name;
  const char* help;
  /// Returns nullopt if the algorithm has no such quantity.
  std::optional<double> (*value)(const congestion::CongestionState&);
};
struct ReceiverMetric {
  const char* name;
  const char* help;
  std::uint64_t (*value)(const engine::EndpointSnapshot&);
};
struct TrafficGenMetric {
  const char* name;
  const char* help;
  bool counter;
  /// Requires a board with a traffic generator.
  std::uint64_t (*value)(const engine::EndpointSnapshot&);
};
/// A metric of streams. Metrics that have a reason and the same name are adjacent in the table, and form one
/// family.
struct StreamMetric {
  const char* name;
  const char* help;
  const char* reason;  ///< null if the metric has no reason
  std::uint64_t (*value)(const detector::StreamCounts&);

  /// The name with the reason, as the heading of a table's column, for example
  /// dropped_datagrams_no_buffer_total.
  std::string column() const;
};
struct EndpointMetric {
  const char* name;
  const char* help;
  std::uint64_t (*value)(const engine::EndpointCounters&);
};
struct DropReason {
  const char* reason;
  std::uint64_t (*value)(const engine::EndpointCounters&);
};
struct PortMetric {
  const char* name;
  const char* help;
  bool counter;
  std::uint64_t (*value)(const fabric::PortSnapshot&);
  double (*seconds)(const fabric::PortSnapshot&);  ///< used instead of `value` if not null
};
struct PacketFate {
  const char* fate;
  std::uint64_t (*value)(const fabric::NetworkTotals&);
};

std::span<const SendQpMetric> send_qp_metrics();
std::span<const CongestionMetric> congestion_metrics();
std::span<const ReceiverMetric> receiver_metrics();
std::span<const TrafficGenMetric> traffic_gen_metrics();
std::span<const StreamMetric> stream_metrics();
std::span<const EndpointMetric> endpoint_metrics();
std::span<const DropReason> drop_reasons();
std::span<const PortMetric> port_metrics();
std::span<const PacketFate> packet_fates();

}  // namespace softfeb::telemetry
