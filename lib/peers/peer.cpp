// SPDX-License-Identifier: BSD-3-Clause
#include "peers/peer.hpp"

#include "peers/perftest_client.hpp"
#include "peers/sink_client.hpp"
#include "roce/work.hpp"

namespace softfeb::peers {

namespace {

void check(const LocalEndpoint& local) {
  const auto wrong = [](const char* what) { throw PeerError(PeerFault::kConfiguration, what); };
  if (local.qps.empty()) wrong("a connection needs at least one queue pair");
  if (!roce::pmtu_legal(local.pmtu)) wrong("the path MTU must be 256, 512, 1024, 2048 or 4096 bytes");
  if (local.message_size > roce::kMaxMessage) wrong("a message is at most 2 GiB long");
}

}  // namespace

std::unique_ptr<PeerSession> connect(const PeerUrl& url, const LocalEndpoint& local,
                                     const PeerTimeouts& timeouts) {
  check(local);
  if (url.kind == PeerKind::kPerftest) return connect_perftest(url, local, timeouts);
  return connect_sink(url, local, timeouts);
}

}  // namespace softfeb::peers
