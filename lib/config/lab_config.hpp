// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "fabric/config.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The configuration of `softfeb lab`: that of a run, with switches and links between its boards and
/// receivers.
namespace softfeb::config {

/// A limit that the experiment is to keep (section `lab.checks`; config/lab_checks.hpp has the names and
/// units).
struct LabCheck {
  std::string name;  ///< as kLabChecks has it
  double limit = 0;  ///< shares as parts of 1, times in seconds, sizes in bytes
  Where where;
  std::string text = {};              ///< the limit as the file has it
  std::optional<bool> at_least = {};  ///< or at most; none: as its kind has it
};

/// A key of the configuration and the values that a parameter study gives it (section `lab.sweep`).
struct SweepAxis {
  std::string key;
  std::vector<std::string> values;  ///< as `--set` takes them
  Where where;
};

/// Section `lab`.
struct LabSettings {
  std::string title;
  std::string shows;        ///< what the experiment is for, in a sentence or two
  std::string corresponds;  ///< the published figure it corresponds to
  std::vector<LabCheck> checks;
  /// The switch port that is looked at: into LabConfig::network.links.
  std::optional<std::uint32_t> bottleneck;
  std::uint32_t bottleneck_switch = 0;  ///< the one that sends there, into LabConfig::network.switches
  Time sample_interval = kMillisecond;  ///< of the figures made in virtual time
  double stolen_limit = 0.02;  ///< share of the time that the machine may take from the workers before timing
                               ///< is called inconclusive
  std::vector<SweepAxis> sweep;
  Where where;
};

/// The two ends of a ring between the worker that has endpoints and the one that has the network.
struct LabRing {
  std::size_t near_port = 0;  ///< into RunConfig::ports: where the endpoints are
  std::size_t far_port = 0;   ///< the network's
  std::size_t worker = 0;     ///< of the endpoints
};

struct LabConfig {
  /// `run.ports` has, behind those of the file, the rings that real time needs; endpoints behind a link stand
  /// at theirs.
  RunConfig run;
  LabSettings lab;
  /// Stations: boards, then receivers, as RunConfig has them (those at a port of the file, without a link,
  /// are none), then ports of the file.
  fabric::NetworkConfig network;
  std::vector<std::optional<std::uint32_t>> station_of;  ///< of each endpoint (boards, then receivers)
  std::vector<std::pair<std::uint32_t, std::size_t>>
      port_stations;  ///< (station, index into RunConfig::ports)
  std::vector<LabRing> rings;
  std::size_t network_worker = 0;
  std::uint32_t mtu = 4200;             ///< bytes of an IP packet that every link carries
  std::vector<std::string> link_names;  ///< "tor-daq"; `links` in the file, taken apart
};

}  // namespace softfeb::config
