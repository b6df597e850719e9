// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/change_config.hpp"
#include "config/control_config.hpp"
#include "config/endpoint_config.hpp"
#include "config/port_config.hpp"
#include "config/qp_config.hpp"
#include "config/values.hpp"
#include "roce/requester.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The configuration of `softfeb run`, as resolved: defaults filled in, names turned into indices, boards and
/// receivers replicated (`count`). Plain data; config/load.hpp reads it from YAML and has checked what a file
/// alone can tell. Units: Time in picoseconds, rates in bytes or packets per second, sizes in bytes.
namespace softfeb::config {

/// Section `run`.
struct RunSettings {
  std::optional<Time> duration;  ///< traffic stops at start + duration
  std::optional<std::uint64_t>
      messages;     ///< bound on the messages of every QP (already in TrafficConfig::messages)
  Time warmup = 0;  ///< from the start; not in the figures
  /// Wall clock at which traffic starts, in nanoseconds since 1970-01-01T00:00:00Z; none: at once.
  std::optional<std::int64_t> start_at_unix_ns;
  std::uint64_t seed = 1;
  bool quiet = false;
  Time drain_timeout =
      5 * kSecond;  ///< for outstanding requests after traffic stopped; then they are flushed
  /// How long links may take to come up, and after that each receiver elsewhere to answer.
  Time connect_timeout = 30 * kSecond;
  Time series_interval = 100 * kMillisecond;  ///< of the report's time series
  std::uint32_t series_qps = 64;              ///< with more QPs the series has one row for each board instead
  /// Of a board or receiver with more QPs the result lists only those that need attention, so many at most;
  /// none: all, always.
  std::optional<std::uint32_t> result_qps;
  Where where;
};

enum class Hugepages : std::uint8_t { kAuto, kNo };

/// Section `eal`: DPDK's environment.
struct EalConfig {
  Hugepages hugepages = Hugepages::kAuto;  ///< kAuto: where the machine has them free
  std::optional<std::uint64_t> memory;     ///< bytes; none: what the configuration needs
  std::optional<std::string> prefix;       ///< --file-prefix; none: in memory, nothing shared
  std::vector<std::string> args;           ///< handed to rte_eal_init() as they stand, last
  Where where;
};

enum class Idle : std::uint8_t { kSpin, kPause, kSleep };

/// Section `workers`.
struct WorkersConfig {
  std::size_t count = 1;             ///< workers; cpus.size() when CPUs are given
  std::vector<unsigned> cpus;        ///< CPU of each worker; empty: chosen from those the process may use
  std::optional<unsigned> main_cpu;  ///< CPU of the main lcore, which carries no packets
  Idle idle = Idle::kPause;
  std::uint16_t burst = 32;  ///< packets taken or given in one RX or TX burst
  Where where;
};

enum class IcrcMethod : std::uint8_t {
  kKnown,  ///< payload CRCs prepared beforehand, shifted and XORed
  kFull,   ///< over every byte
};

/// UDP source port of a board's QPs (WIRE.md section 1).
struct UdpSourcePort {
  enum class Policy : std::uint8_t { kHashed, kFixed, kRange };
  Policy policy = Policy::kHashed;
  std::uint16_t first = 0;  ///< kFixed: the port; kRange: QP i has first + i mod (last - first + 1)
  std::uint16_t last = 0;   ///< kRange, inclusive
};

struct BoardConfig {
  EndpointConfig endpoint;
  std::optional<std::uint64_t>
      link_rate;  ///< bytes/s on the wire (FCS, preamble and gap included); none: unshaped
  UdpSourcePort udp_source_port;
  roce::TimingProfile timing = roce::TimingProfile::kStandard;
  IcrcMethod icrc = IcrcMethod::kKnown;
  DcqcnConfig dcqcn;  ///< of its QPs that have none of their own
  std::vector<QpConfig> qps;
  Time start = 0;            ///< its traffic begins so much after the run's
  std::optional<Time> stop;  ///< its traffic stops there, from the beginning of the run's; none: with the run
  std::optional<ControlConfig> control;  ///< none: its slow control does not answer
  Where where;
};

struct RunConfig {
  std::string file;  ///< as the user named it
  RunSettings run;
  EalConfig eal;
  WorkersConfig workers;
  std::vector<PortConfig> ports;
  std::vector<BoardConfig> boards;
  std::vector<ReceiverConfig> receivers;
  std::vector<ChangeConfig> changes;  ///< in the order of the file

  /// Where each key given by the file or by --set stands, by its dotted path.
  std::map<std::string, Where> places;

  /// The place of `name` in the section at `section`, for errors found later: the key's own line where it was
  /// given, otherwise the section's.
  Where place(const Where& section, const std::string& name) const;
};

}  // namespace softfeb::config
