// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

#include <ns3/nstime.h>
#include <ns3/simulator.h>

/// softfeb counts time in picoseconds, so ns-3's resolution must be picoseconds. Call
/// ns3::Time::SetResolution(ns3::Time::PS) before anything else.
namespace softfeb::ns3model {

/// Returns the present time of ns-3's simulator.
inline Time now() { return static_cast<Time>(ns3::Simulator::Now().GetPicoSeconds()); }

/// Converts a duration to ns-3's representation.
inline ns3::Time to_ns3(Time duration) { return ns3::PicoSeconds(static_cast<std::uint64_t>(duration)); }

}  // namespace softfeb::ns3model
