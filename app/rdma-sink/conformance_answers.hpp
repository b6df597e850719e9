// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"

#include <nlohmann/json.hpp>

/// Parts of the answers in a conformance session (doc/rdma-sink.md).
namespace softfeb::sink {

/// Describes the device and the host's kernel. Contains the members of describe(gid). Throws NoDevice.
nlohmann::json describe(const Device& device, const Gid& gid);
/// Describes the receiver's addresses: `ip`, `gid_index` and, if it is known, `mac`.
nlohmann::json describe(const Gid& gid);
/// Describes a completion. Members that the device does not define, for example after an error, are null.
nlohmann::json describe(const ibv_wc& wc);

}  // namespace softfeb::sink
