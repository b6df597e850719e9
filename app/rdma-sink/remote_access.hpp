// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance_requests.hpp"
#include "device.hpp"

#include <optional>

namespace softfeb::sink {

/// Returns the remote operations that the device supports (ibv_access_flags). Throws NoDevice.
int supported_access(const Device& device);

/// Returns the ibv_access_flags for a request. If the request names no operations, returns the flags of all
/// supported operations of the transport service. Throws Refusal if the request names an operation that is
/// not supported.
int access_flags(const std::optional<RemoteAccess>& access, roce::Transport transport, int supported);

}  // namespace softfeb::sink
