// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/network_relay.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <cstdint>

/// Translates a topology into the configuration of dataplane::NetworkRelay.
namespace softfeb::runtime {

/// Maximum number of packets in a network or queued for its ports. With many small packets its buffers would
/// hold more; the boards then wait (dataplane::NetworkRelay).
std::uint32_t network_frames(const fabric::NetworkConfig& network);

/// The topology in real time. Endpoints may react late to a pause; the packets that they have sent by then
/// wait at the transmitters of their links.
fabric::NetworkConfig network_in_real_time(const config::LabConfig& lab);

dataplane::NetworkRelayConfig network_settings(const config::LabConfig& lab, const DpdkRuntime& dpdk);

}  // namespace softfeb::runtime
