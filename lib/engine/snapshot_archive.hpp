// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"

namespace softfeb::engine {

/// Copies a snapshot to or from another process (base/archive.hpp).
template <class Archive, class Snapshot>
void archive(Archive& a, Snapshot& s) {
  auto& [taken_at, endpoint, host, cnp_tx, replies_dropped, grant_tx, resend_tx, busy_rx, grants, windows,
         bytes_in_progress, transfers_notified, events, unresolved, resolution_took, paused, finished,
         streams, traffic_gen, traffic_gen_running, send_qps, receive_qps] = s;
  a.item(taken_at);
  a.item(endpoint);
  a.item(host);
  for (auto* const count : {&cnp_tx, &replies_dropped, &grant_tx, &resend_tx, &busy_rx}) a.item(*count);
  a.item(grants);
  a.item(windows);
  a.item(bytes_in_progress);
  a.item(transfers_notified);
  a.item(events);
  a.item(unresolved);
  a.item(resolution_took);
  a.item(paused);
  a.item(finished);
  a.item(streams);
  a.item(traffic_gen);
  a.item(traffic_gen_running);
  a.list(send_qps);
  a.list(receive_qps);
}

}  // namespace softfeb::engine
