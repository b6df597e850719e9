// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/mac_control.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace softfeb::switchtest {

/// Findings of earlier tests about the switch. Later tests choose their stimuli and bounds accordingly; if
/// the earlier tests did not run, a test must find its own bounds. Sizes in bytes refer to frames without
/// FCS.
struct Findings {
  /// Kind of pause frames with which port D can stop the switch; kOff if the switch obeys none.
  roce::PauseMode obeyed = roce::PauseMode::kOff;
  /// Kind of pause frames that the switch sends; kOff if it has sent none.
  roce::PauseMode sends = roce::PauseMode::kOff;
  /// PFC priority whose pause stops frames with this DSCP; std::nullopt if no priority does.
  std::array<std::optional<std::uint8_t>, 64> priority_of_dscp{};

  /// From the test `dscp`: DSCPs with the same number share a queue. The number is the lowest DSCP of the
  /// group. kNoQueue means that the queue is unknown.
  std::optional<std::array<std::uint8_t, 64>> queue_of_dscp;
  static constexpr std::uint8_t kNoQueue = 0xff;
  /// From the test `mtu`: length of the largest frame that passes, without FCS and tag.
  std::optional<std::uint32_t> largest_frame;
  /// From the test `throughput`: largest load from port A to port D without loss, by frame size with FCS. A
  /// load of 1 is line rate.
  std::map<std::uint32_t, double> load;
  /// From the test `throughput`: frame sizes for which the rig itself limits `load`; the switch may forward
  /// more.
  std::set<std::uint32_t> load_of_rig;
  /// From the test `buffer`: number of bytes that one queue of port D holds.
  std::optional<std::uint64_t> queue_bytes;

  struct Marking {
    double kmin = 0, kmax = 0;  ///< bytes
    double pmax = 0;            ///< 0 to 1
    bool at_dequeue = false;
  };
  /// From the test `ecn`. Empty if the marking curve was not measured, or if the switch does not mark.
  std::optional<Marking> marking;

  struct Pausing {
    std::uint64_t xoff = 0;  ///< number of bytes of one ingress class at which the switch pauses the sender
    std::uint64_t xon = 0;   ///< number of bytes at which the switch lets the sender resume
  };
  /// From the test `xoff`. Empty if the thresholds were not measured, or if the switch does not pause.
  std::optional<Pausing> pausing;

  struct Headroom {
    /// Bytes that one class of one ingress port may store even when other ports have taken all other memory.
    std::uint64_t guaranteed = 0;
    std::uint8_t dscp = 0;  ///< DSCP of the class
    /// True if other ports can use this memory, too; `guaranteed` is then what they leave to this port.
    bool shared = false;
  };
  /// From the test `headroom`. Empty if the headroom was not measured, or if the switch does not pause.
  std::optional<Headroom> headroom;
};

}  // namespace softfeb::switchtest
