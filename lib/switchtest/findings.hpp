// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/mac_control.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace softfeb::switchtest {

/// What earlier tests found out about the switch. Later tests take their stimuli and bounds from it; a test
/// whose predecessors did not run must find its own bounds. Bytes are those of frames without FCS.
struct Findings {
  /// Kind of pause frames with which port D can stop the switch; kOff: none.
  roce::PauseMode obeyed = roce::PauseMode::kOff;
  /// Kind of pause frames that the switch sends; kOff: none was seen.
  roce::PauseMode sends = roce::PauseMode::kOff;
  /// PFC priority that stops frames of a DSCP; nullopt: none does.
  std::array<std::optional<std::uint8_t>, 64> priority_of_dscp{};

  /// dscp: number of the group of DSCPs that share a queue, which is its lowest DSCP. kNoQueue: unknown.
  std::optional<std::array<std::uint8_t, 64>> queue_of_dscp;
  static constexpr std::uint8_t kNoQueue = 0xff;
  /// mtu: largest frame that passes, without FCS and tag.
  std::optional<std::uint32_t> largest_frame;
  /// throughput: largest load without loss (1: line rate) from A to D, by frame size with FCS.
  std::map<std::uint32_t, double> load;
  /// throughput: sizes at which the rig can send or receive no more than `load`; the switch may forward more.
  std::set<std::uint32_t> load_of_rig;
  /// buffer: bytes that one queue of D holds.
  std::optional<std::uint64_t> queue_bytes;

  struct Marking {
    double kmin = 0, kmax = 0;  ///< bytes
    double pmax = 0;            ///< 0 to 1
    bool at_dequeue = false;
  };
  /// ecn: nullopt: not measured, or the switch does not mark.
  std::optional<Marking> marking;

  struct Pausing {
    std::uint64_t xoff = 0;  ///< bytes of one ingress class at which the switch pauses
    std::uint64_t xon = 0;   ///< bytes at which it resumes
  };
  /// xoff: nullopt: not measured, or the switch does not pause.
  std::optional<Pausing> pausing;

  struct Headroom {
    /// Bytes that one class of one ingress port may store although other ports have taken all other memory.
    std::uint64_t guaranteed = 0;
    std::uint8_t dscp = 0;  ///< of the class
    bool shared = false;    ///< other ports can take them, too: `guaranteed` is what they leave
  };
  /// headroom: nullopt: not measured, or the switch does not pause.
  std::optional<Headroom> headroom;
};

}  // namespace softfeb::switchtest
