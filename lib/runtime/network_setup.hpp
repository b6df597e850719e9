// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/network_relay.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <cstdint>

/// From a topology to what the data plane carries it with.
namespace softfeb::runtime {

/// Packets that may be in a network, or wait for a port, at one time. With smaller ones than most its buffers
/// hold more; the boards then wait (dataplane::NetworkRelay).
std::uint32_t network_frames(const fabric::NetworkConfig& network);

/// The topology as it is carried in real time: endpoints of ours may be late, so what they have sent ahead
/// when they are told to pause waits at their links' transmitters.
fabric::NetworkConfig network_in_real_time(const config::LabConfig& lab);

dataplane::NetworkRelayConfig network_settings(const config::LabConfig& lab, const DpdkRuntime& dpdk);

}  // namespace softfeb::runtime
