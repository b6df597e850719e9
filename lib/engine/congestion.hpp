// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/algorithm.hpp"
#include "congestion/congestion_control.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>
#include <memory>
#include <variant>

namespace softfeb::engine {

/// Selects the congestion control of a QP and its parameters: none, the firmware's DCQCN, the DCQCN of the
/// paper, or another algorithm.
using CongestionSettings = std::variant<std::monostate, dcqcn::FirmwareSettings, dcqcn::PaperSettings,
                                        congestion::AlgorithmSettings>;

/// Properties of a queue pair that its congestion control algorithm may need.
struct ControlledQp {
  std::uint32_t pmtu;      ///< path MTU in bytes
  std::uint32_t messages;  ///< number of messages that the send queue can hold
};

/// Size of the congestion control object in bytes; 0 if `profile` selects no congestion control.
std::size_t congestion_control_bytes(const CongestionSettings& profile, const ControlledQp& qp);
/// Hooks that an algorithm other than DCQCN implements. Returns 0 for DCQCN, because its queue pairs need no
/// additional data, and if there is no congestion control.
congestion::Hooks hooks_of(const CongestionSettings& profile);
/// True if the congestion control needs a FlightTracker: it observes acknowledgements or has a window.
bool observes_flight(const CongestionSettings& profile);
/// Profile of the congestion control header that the algorithm uses; 0 if it uses no such header.
std::uint8_t congestion_profile(const CongestionSettings& profile);
/// Constructs the congestion control at `place`, which provides congestion_control_bytes() bytes aligned to a
/// cache line. Returns null if `profile` selects no congestion control.
congestion::CongestionControl* make_congestion_control(const CongestionSettings& profile, void* place,
                                                       const ControlledQp& qp);

using congestion::Change;

/// Sets the parameters of a running congestion control to those of `profile`, effective from `now` on. The
/// token bucket and the firmware's line rate are fixed at construction and do not change.
Change change_parameters(congestion::CongestionControl& control, const CongestionSettings& profile, Time now);

}  // namespace softfeb::engine
