// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/conformance_target.hpp"
#include "peers/peer.hpp"

#include <memory>

namespace softfeb::experiment {

/// Opens a conformance session of rdma-sink for the board's address `ip`, and registers the memory regions
/// that the cases use. Blocks. Throws PeerError.
std::unique_ptr<TargetConnection> connect_sink_target(const peers::PeerUrl& url, const roce::IpAddress& ip);

}  // namespace softfeb::experiment
