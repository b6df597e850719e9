// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "run_test.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The results that tests must find, computed from the configuration of a switch with stations p0 to p3 (A,
/// B, C and D). Does not use lib/switchtest or the code of lib/fabric.
namespace softfeb::test {

/// The true value of a figure. It applies to those figures of `test` that have the name `figure` and at least
/// these labels.
struct Truth {
  std::string test, figure;
  Labels labels{};
  std::optional<double> value{};  ///< empty if the figure is a word or is absent
  double slack = 0;               ///< the true value is known only to this accuracy
  std::string text{};             ///< the word, if the figure is a word
  bool absent = false;            ///< true if the switch does not have this feature
};

/// Returns the number of frames of `length` bytes (without FCS) that one queue of an otherwise empty switch
/// can hold in the shared memory.
std::uint64_t queue_frames(const fabric::SwitchConfig& dut, std::uint32_t length);
/// Returns the queue length in bytes above which the next frame of this length is not admitted.
std::uint64_t queue_limit(const fabric::SwitchConfig& dut, std::uint32_t length);

/// Returns true if, while station 3 pauses the switch, the switch pauses sender 0 before it drops frames of
/// `length` bytes with this DSCP.
bool pauses_sender(const fabric::NetworkConfig& network, std::uint8_t dscp, std::uint32_t length);

/// Returns the delay of a frame in an idle network, from its first bit at station 0 to its last bit at
/// station 3.
Time shortest_delay(const fabric::NetworkConfig& network, std::uint32_t length);

/// Returns the true values of all figures that have a closed form, for four ports and these settings.
std::vector<Truth> truths_of(const fabric::NetworkConfig& network, const switchtest::Settings& settings);

}  // namespace softfeb::test
