// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/fault_config.hpp"
#include "config/node.hpp"
#include "config/run_config.hpp"
#include "fabric/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The configuration of `softfeb lab`: the configuration of a run, plus switches and links between its
/// boards and receivers.
namespace softfeb::config {

/// A limit for the experiment (section `lab.checks`). Names and units are in config/lab_checks.hpp.
struct LabCheck {
  std::string name;  ///< a name in kLabChecks
  double limit = 0;  ///< fractions from 0 to 1, times in seconds, sizes in bytes
  Where where;
  std::string text = {};  ///< the limit as written in the file
  /// True for `at least`, false for `at most`; empty for the check's default.
  std::optional<bool> at_least = {};
};

/// A configuration key and the values it takes in a parameter sweep (section `lab.sweep`).
struct SweepAxis {
  std::string key;
  std::vector<std::string> values;  ///< values in the syntax of `--set`
  Where where;
};

/// Section `lab`.
struct LabSettings {
  std::string title;
  std::string shows;        ///< purpose of the experiment, in a sentence or two
  std::string corresponds;  ///< published result to which the experiment corresponds
  std::vector<LabCheck> checks;
  /// Link of the observed switch port, index into LabConfig::network.links; empty if no port is observed.
  std::optional<std::uint32_t> bottleneck;
  /// Switch to which the observed port belongs, index into LabConfig::network.switches.
  std::uint32_t bottleneck_switch = 0;
  Time sample_interval = kMillisecond;  ///< time between two samples of the statistics
  /// Maximum fraction of the time, from 0 to 1, for which the host may preempt a worker. If a worker was
  /// preempted for longer, timing results are inconclusive.
  double stolen_limit = 0.02;
  std::vector<SweepAxis> sweep;
  /// Sections `congestion` for `softfeb lab compare` (config/compared.hpp), as written in the file.
  std::vector<Node> compare;
  Where where;
};

/// The two ends of a ring between a worker with endpoints and the network's worker.
struct LabRing {
  std::size_t near_port = 0;  ///< port of the endpoints, index into RunConfig::ports
  std::size_t far_port = 0;   ///< port of the network, index into RunConfig::ports
  std::size_t worker = 0;     ///< worker that owns the endpoints
};

/// Section `network.parts`: the parts in which softfeb-mpi simulates the network. Results do not depend on
/// this section, and do not contain it.
struct PartsConfig {
  std::uint32_t count = 0;  ///< 0 means one part for each process (`auto`)
  /// The switches of each part, as indices into NetworkConfig::switches. Contains each switch of the network
  /// exactly once, or is empty if softfeb chooses the parts.
  std::vector<std::vector<std::uint32_t>> switches;
  std::vector<Where> wheres;  ///< line and key of each part in the file
  Where where;
};

struct LabConfig {
  /// `run.ports` contains the ports of the file, followed by the rings, which are used in real time.
  /// Endpoints with a link use the ring of their worker.
  RunConfig run;
  LabSettings lab;
  /// Stations are numbered in this order: boards, receivers (both as in RunConfig), ports of the file that
  /// links name. Endpoints with a port of the file have no link and are not stations.
  fabric::NetworkConfig network;
  /// Station of each endpoint (boards, then receivers). Empty if the endpoint is not a station.
  std::vector<std::optional<std::uint32_t>> station_of;
  /// For each port of the file that a link names: (station, index into RunConfig::ports).
  std::vector<std::pair<std::uint32_t, std::size_t>> port_stations;
  std::vector<LabRing> rings;
  std::size_t network_worker = 0;
  PartsConfig parts;
  std::uint32_t mtu = 4200;             ///< MTU of every link: bytes of an IP packet
  std::vector<std::string> link_names;  ///< such as "tor-daq"; indexed like network.links
  std::vector<Where> link_wheres;       ///< line and key of each link in the file
  /// Fault rules of each link, indexed like network.links: the rules from node `a` of the link to its node
  /// `b`, and those from `b` to `a`. The rules in network.links are empty, because the addresses of queue
  /// pairs are not known yet (endpoints::add_link_rules()).
  std::vector<std::array<LinkRulesConfig, 2>> link_rules;
};

}  // namespace softfeb::config
