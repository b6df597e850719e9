// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/draft.hpp"
#include "config/run_config.hpp"
#include "config/section.hpp"

#include <cstdint>

/// Checks whether values that are valid by themselves are also valid in combination. Internal to the
/// loader.
namespace softfeb::config {

/// Checks the configuration of a run. `now_unix_ns` is the wall-clock time in nanoseconds since 1970.
void check(Reading& reading, const RunConfig& config, std::int64_t now_unix_ns);
void check_network(Reading& reading, const LabConfig& config, const LabDraft& draft);

/// Checks that the ports of switch `sw` can send at the rates that are guaranteed to their queues.
void check_rates(Reading& reading, const LabConfig& config, const SwitchDraft& draft, std::uint32_t sw);

// Functions that check() calls, directly or indirectly.

/// Reports invalid slow control settings of boards.
void check_controls(Reading& reading, const RunConfig& config);

/// Reports fault rules that name queue pairs that do not exist, and rules that can select no packets.
void check_faults(Reading& reading, const RunConfig& config);

/// True if the QPs that use this congestion control need grants from their receivers.
bool needs_grants(const CongestionConfig& congestion);
/// Checks that all QPs that get grants from the same receiver have the same congestion control parameters and
/// path MTU.
void check_grants(Reading& reading, const RunConfig& config);
/// Checks that each ib_write_bw server is the target of one board and one entry of its `qps`. The server
/// serves one client, and softfeb connects once for each entry.
void check_perftest_servers(Reading& reading, const RunConfig& config);
/// Reports invalid settings of the QPs of `board`.
void check_qps(Reading& reading, const RunConfig& config, const BoardConfig& board);

/// Reports queue pairs whose settings are not allowed for receivers with `ordering: any`.
void check_ordering(Reading& reading, const RunConfig& config);
/// Reports transfers that are incompatible with their queue pairs or their receiver.
void check_transfers(Reading& reading, const RunConfig& config);
/// Reports each receiver that has windows although no queue pair sends to this receiver. Reports each queue
/// pair that cannot be a stream of its receiver's windows.
void check_windows(Reading& reading, const RunConfig& config);

/// Reports streams of datagrams if their ports have another use or their buffers take too much memory.
void check_streams(Reading& reading, const RunConfig& config);
/// Reports traffic generators that would send UDP without an IPv4 address, that start without a destination,
/// or whose receiver needs immediates.
void check_traffic_gens(Reading& reading, const RunConfig& config);

/// Reports event data that is incompatible with its receivers.
void check_events(Reading& reading, const RunConfig& config);

/// Reports settings of the QP that cannot be combined with random lengths or arrivals.
void check_random_traffic(Reading& reading, const RunConfig& config, const QpConfig& qp);

/// Reports beamlets that are not sent over UC.
void check_beamlets(Reading& reading, const RunConfig& config, const QpConfig& qp);

/// True if `from` can send to `ip` according to the prefix and gateway of `from`.
bool reachable(const EndpointConfig& from, const IpAddress& ip);

/// Reports a problem at `where` and returns false if board `from` and receiver `to` cannot reach each other.
bool check_path(Reading& reading, const RunConfig& config, const EndpointConfig& from,
                const EndpointConfig& to, const Where& where);

/// A board keeps the addresses of its static neighbours and of the next hops of its queue pairs: at most
/// kMostNextHops or, if the board has traffic generators, at most kMostNextHopsWithTrafficGen. Reports the
/// first board that needs more, and the first receiver with more than kMostNextHops static neighbours.
void check_neighbours(Reading& reading, const RunConfig& config);

}  // namespace softfeb::config
