// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance_requests.hpp"
#include "device.hpp"

#include <optional>

namespace softfeb::sink {

/// Returns the remote operations that the device supports (ibv_access_flags). Throws NoDevice.
int supported_access(const Device& device);

/// Returns the ibv_access_flags for a request: all supported operations of the transport service if it names
/// none. Throws Refusal if it names one that is not supported.
int access_flags(const std::optional<RemoteAccess>& access, roce::Transport transport, int supported);

}  // namespace softfeb::sink
