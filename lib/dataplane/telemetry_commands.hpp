// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Commands for DPDK's telemetry socket (dpdk-telemetry.py), beside DPDK's own:
///
///     /softfeb/info             what runs
///     /softfeb/boards           names; /softfeb/boards,NAME: the counters of one
///     /softfeb/receivers, /softfeb/ports     likewise
///
/// DPDK answers on a thread of its own and knows no way to take a command back: what is published is kept,
/// under a lock, for as long as the process lives. The packet path has no part in it.
namespace softfeb::dataplane {

struct TelemetryTable {
  struct Row {
    std::string name;
    std::vector<std::uint64_t> values;  ///< as `columns`
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

enum class TelemetryKind : std::uint8_t { kBoards, kReceivers, kPorts };

/// Once a process; later calls change the title. Throws EnvironmentError when DPDK does not take them.
void register_telemetry_commands(const std::string& title, const std::string& version);

/// What is answered from now on. Any thread.
void publish_telemetry(TelemetryKind kind, TelemetryTable table);

}  // namespace softfeb::dataplane
