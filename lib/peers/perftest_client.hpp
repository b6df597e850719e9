// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/peer.hpp"

#include <memory>

namespace softfeb::peers {

/// Client of an unmodified `ib_write_bw` server (doc/perftest.md). Use connect() with a perftest:// URL.
std::unique_ptr<PeerSession> connect_perftest(const PeerUrl& url, const LocalEndpoint& local,
                                              const PeerTimeouts& timeouts);

}  // namespace softfeb::peers
