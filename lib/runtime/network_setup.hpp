// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "dataplane/network_relay.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <cstdint>

/// Translates a topology into the configuration of dataplane::NetworkRelay.
namespace softfeb::runtime {

/// Maximum number of packets in a network, including those that its fault rules hold back and those that are
/// queued for its ports. The switch buffers have room for more packets than this if packets are small; the
/// boards then wait for free frames (dataplane::NetworkRelay).
std::uint32_t network_frames(const config::LabConfig& lab);

/// Returns the topology with settings for real time. Endpoints may react late to a pause frame. The
/// transmitter of an endpoint's link therefore obeys pause frames on behalf of the endpoint, and holds the
/// packets that the endpoint still sends.
fabric::NetworkConfig network_in_real_time(const config::LabConfig& lab);

dataplane::NetworkRelayConfig network_settings(const config::LabConfig& lab, const DpdkRuntime& dpdk);

}  // namespace softfeb::runtime
