// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/peer.hpp"

#include <memory>

namespace softfeb::peers {

/// Client of rdma-sink's exchange. Use connect() with a sink:// URL.
std::unique_ptr<PeerSession> connect_sink(const PeerUrl& url, const LocalEndpoint& local,
                                          const PeerTimeouts& timeouts);

}  // namespace softfeb::peers
