// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/change_config.hpp"
#include "config/control_config.hpp"
#include "config/endpoint_config.hpp"
#include "config/port_config.hpp"
#include "config/qp_config.hpp"
#include "config/values.hpp"
#include "engine/port_options.hpp"
#include "roce/requester.hpp"
#include "roce/udp_source_port.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The resolved configuration of `softfeb run`: defaults are set, names are indices, boards and receivers are
/// replicated (`count`). Plain data. config/load.hpp reads it from YAML and has validated all that the file
/// alone shows. Units: picoseconds for Time, bytes for sizes; bytes, packets or messages per second for
/// rates.
namespace softfeb::config {

/// Section `run`.
struct RunSettings {
  std::optional<Time> duration;  ///< traffic stops this long after its start
  /// Limit on the messages of every QP; already applied to TrafficConfig::messages.
  std::optional<std::uint64_t> messages;
  Time warmup = 0;  ///< from the start; excluded from the statistics
  /// Wall clock time at which traffic starts, in nanoseconds since 1970-01-01T00:00:00Z; none: immediately.
  std::optional<std::int64_t> start_at_unix_ns;
  std::uint64_t seed = 1;
  bool quiet = false;
  /// How long outstanding requests may take after traffic has stopped. Then they are flushed.
  Time drain_timeout = 5 * kSecond;
  /// How long links may take to come up, and after that each remote receiver to answer.
  Time connect_timeout = 30 * kSecond;
  Time series_interval = 100 * kMillisecond;  ///< of the time series in the report
  std::uint32_t series_qps = 64;              ///< above this number of QPs, the series has one row per board
  /// For boards and receivers with more QPs, the result lists only QPs that need attention, at most this
  /// many. None: lists all.
  std::optional<std::uint32_t> result_qps;
  Where where;
};

using engine::HugePages;

/// Section `eal`: DPDK's Environment Abstraction Layer.
struct EalConfig {
  HugePages hugepages = HugePages::kAuto;  ///< kAuto: if the host has free ones
  std::optional<std::uint64_t> memory;     ///< bytes; none: as much as the configuration needs
  std::optional<std::string> prefix;       ///< --file-prefix; none: no files shared with other processes
  std::vector<std::string> args;           ///< passed to rte_eal_init() unchanged, last
  Where where;
};

using engine::IdlePolicy;

/// Section `workers`.
struct WorkersConfig {
  std::size_t count = 1;             ///< number of workers; cpus.size() if CPUs are given
  std::vector<unsigned> cpus;        ///< CPU of each worker; empty: chosen from the process's affinity
  std::optional<unsigned> main_cpu;  ///< CPU of the main lcore, which handles no packets
  IdlePolicy idle = IdlePolicy::kPause;
  std::uint16_t burst = 32;  ///< maximum packets per RX or TX burst
  Where where;
};

enum class IcrcMethod : std::uint8_t {
  kKnown,  ///< precomputed payload CRCs, shifted and XORed
  kFull,   ///< computed over every byte
};

struct BoardConfig {
  EndpointConfig endpoint;
  /// Bytes per second on the wire, including FCS, preamble and inter-frame gap; none: not limited.
  std::optional<std::uint64_t> link_rate;
  roce::SourcePortPolicy udp_source_port;
  roce::TimingProfile timing = roce::TimingProfile::kStandard;
  IcrcMethod icrc = IcrcMethod::kKnown;
  DcqcnConfig dcqcn;  ///< default for QPs without their own
  std::vector<QpConfig> qps;
  Time start = 0;  ///< delay from the run's start of traffic to the board's
  /// When the board's traffic stops, from the run's start of traffic; none: at the end of the run.
  std::optional<Time> stop;
  std::optional<ControlConfig> control;  ///< none: no slow control
  Where where;
};

struct RunConfig {
  std::string file;  ///< path as given by the user
  RunSettings run;
  EalConfig eal;
  WorkersConfig workers;
  std::vector<PortConfig> ports;
  std::vector<BoardConfig> boards;
  std::vector<ReceiverConfig> receivers;
  std::vector<ChangeConfig> changes;  ///< in file order

  /// Place of each key given in the file or by --set, by dotted path.
  std::map<std::string, Where> places;

  /// Place of key `name` in the section at `section`, for errors found later: the line of the key if it was
  /// given, otherwise that of the section.
  Where place(const Where& section, const std::string& name) const;
};

}  // namespace softfeb::config
