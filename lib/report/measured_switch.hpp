// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/config.hpp"
#include "report/figure_index.hpp"
#include "switchtest/runner.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The simulated switch that behaves as a measured one, as far as tests found out how that behaves. Pure
/// functions.
namespace softfeb::report {

/// A switch, and where its settings come from.
struct MeasuredSwitch {
  fabric::SwitchConfig config;
  /// Evidence of each key that is not at its default by chance: its interval and its test. Keys are dotted
  /// paths below the switch, such as "pause.xoff" or "queues.3.kmin".
  std::map<std::string, std::string> notes;
  /// Keys that are not known, and why.
  std::vector<std::pair<std::string, std::string>> unknown;
  WholeRange buffer{0, UINT64_MAX / 1024};  ///< bytes of the memory that agree with all that was seen
  std::uint8_t data_queue = 0;              ///< queue of the DSCP with which most tests send

  void unknown_key(std::string key, std::string why) { unknown.emplace_back(std::move(key), std::move(why)); }
};

/// The network of the rig ports, at a switch that `of` describes.
struct MeasuredNetwork {
  fabric::NetworkConfig network;  ///< station i is rig port i
  MeasuredSwitch of;              ///< of.config is also network.switches[0]
  std::string delay_note;         ///< evidence of the links' delays; empty: not known
};

/// `cable`: delay of each cable, if known. Without it, the delay of the switch itself is part of the links'
/// delays, because only their sum can be measured. Values are the roundest in their intervals.
MeasuredNetwork measured_network(const switchtest::SwitchReport& report, const std::string& name,
                                 std::optional<Time> cable = std::nullopt);

/// A name for a switch or a file: letters, digits, - and _. "measured" if nothing is left.
std::string switch_identifier(const std::string& device);

// Parts of measured_network(), each of which fills in what some tests found.

/// Queues of DSCPs and PCPs, and their order.
void add_queues(const FigureIndex& figures, MeasuredSwitch& out);
/// Weights, and limits of rates. Requires queues.
void add_scheduler(const FigureIndex& figures, MeasuredSwitch& out);
/// The longest frame.
void add_mtu(const FigureIndex& figures, MeasuredSwitch& out);
/// Cells, buffer, limits of ports, and dynamic thresholds.
void add_memory(const FigureIndex& figures, MeasuredSwitch& out);
/// Thresholds of pauses and lossless queues. Requires queues and memory.
void add_pauses(const FigureIndex& figures, MeasuredSwitch& out);
/// Marking of the data queue. Requires queues.
void add_marking(const FigureIndex& figures, MeasuredSwitch& out);
/// Times of pauses, watchdog, and forged CNPs.
void add_times(const FigureIndex& figures, MeasuredSwitch& out);

/// Bytes that a frame of `length` bytes without FCS occupies.
std::uint64_t occupied(const fabric::SwitchConfig& config, std::uint64_t length);

}  // namespace softfeb::report
