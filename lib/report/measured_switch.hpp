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

/// Computes the configuration of a simulated switch that behaves like a measured switch, as far as the tests
/// have found out how the measured switch behaves.
namespace softfeb::report {

/// A switch, and the sources of its settings.
struct MeasuredSwitch {
  fabric::SwitchConfig config;
  /// Evidence for each key that was measured: the test and the measured interval. Keys are dotted paths below
  /// the switch, such as "pause.xoff" or "queues.3.kmin".
  std::map<std::string, std::string> notes;
  /// Keys whose values are unknown, each with the reason.
  std::vector<std::pair<std::string, std::string>> unknown;
  /// Sizes of the memory in bytes that agree with all measurements so far.
  WholeRange buffer{0, UINT64_MAX / 1024};
  std::uint8_t data_queue = 0;  ///< queue of the DSCP that most tests use

  void unknown_key(std::string key, std::string why) { unknown.emplace_back(std::move(key), std::move(why)); }
};

/// A network that consists of the rig ports and the switch that `of` describes.
struct MeasuredNetwork {
  fabric::NetworkConfig network;  ///< station i is rig port i
  MeasuredSwitch of;              ///< of.config is also network.switches[0]
  std::string delay_note;         ///< evidence for the delays of the links; empty if they are unknown
};

/// Describes the measured switch and its links as a network. `cable` is the delay of each cable, if known. If
/// `cable` is empty, the links' delays include the delay of the switch itself, because only the sum of both
/// can be measured. Where an interval was measured, the network has the roundest value in this interval.
MeasuredNetwork measured_network(const switchtest::SwitchReport& report, const std::string& name,
                                 std::optional<Time> cable = std::nullopt);

/// Converts the name of a device to a name of a switch or a file. The result contains only letters, digits, -
/// and _. Returns "measured" if no character is left.
std::string switch_identifier(const std::string& device);

// The steps of measured_network(). Each step adds the results of certain tests.

/// Sets which DSCPs and PCPs use which queue, and the order in which the queues are served.
void add_queues(const FigureIndex& figures, MeasuredSwitch& out);
/// Sets the weights and rate limits of the queues. Call add_queues() first.
void add_scheduler(const FigureIndex& figures, MeasuredSwitch& out);
/// Sets the length of the longest frame.
void add_mtu(const FigureIndex& figures, MeasuredSwitch& out);
/// Sets cell size, buffer size, port limits and dynamic thresholds.
void add_memory(const FigureIndex& figures, MeasuredSwitch& out);
/// Sets the pause thresholds, and which queues are lossless. Call add_queues() and add_memory() first.
void add_pauses(const FigureIndex& figures, MeasuredSwitch& out);
/// Sets the marking of the data queue. Call add_queues() first.
void add_marking(const FigureIndex& figures, MeasuredSwitch& out);
/// Sets the times of pauses, the watchdog, and the CNPs that the switch itself sends.
void add_times(const FigureIndex& figures, MeasuredSwitch& out);

/// Number of bytes of memory that a frame of `length` bytes (without FCS) occupies.
std::uint64_t occupied(const fabric::SwitchConfig& config, std::uint64_t length);

}  // namespace softfeb::report
