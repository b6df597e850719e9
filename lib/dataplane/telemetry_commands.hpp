// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Commands on DPDK's telemetry socket (dpdk-telemetry.py), in addition to DPDK's own:
///
///     /softfeb/info                        title, version, and numbers of boards, receivers and ports
///     /softfeb/boards                      names of the boards
///     /softfeb/boards,NAME                 counters of one board
///     /softfeb/receivers, /softfeb/ports   the same for receivers and ports
///
/// DPDK answers on its own thread and cannot unregister a command. Published data is therefore kept, under a
/// lock, for the lifetime of the process. The packet path is not involved.
namespace softfeb::dataplane {

struct TelemetryTable {
  struct Row {
    std::string name;
    std::vector<std::uint64_t> values;  ///< one value for each element of `columns`
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

enum class TelemetryKind : std::uint8_t { kBoards, kReceivers, kPorts };

/// Registers the commands once per process; later calls only change the title and version. Throws
/// EnvironmentError when DPDK rejects a command.
void register_telemetry_commands(const std::string& title, const std::string& version);

/// Replaces the data of one command. Any thread may call it.
void publish_telemetry(TelemetryKind kind, TelemetryTable table);

}  // namespace softfeb::dataplane
