// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"
#include "options.hpp"

#include <cstdint>

namespace softfeb::sink {

/// Returns the GID that rdma-sink uses in connections to a requester at `peer`. Waits at most 5 s until the
/// port is active. Throws a Refusal that states the fix if the port is down, has no suitable GID, or does not
/// support the path MTU `pmtu` (bytes). May throw NoDevice.
Gid choose_gid(const Device& device, const Options& options, const roce::IpAddress& peer, std::uint32_t pmtu);

}  // namespace softfeb::sink
