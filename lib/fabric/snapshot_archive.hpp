// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/snapshot.hpp"

namespace softfeb::fabric {

/// Copies a snapshot to or from another process (base/archive.hpp).
template <class Archive, class Snapshot>
void archive(Archive& a, Snapshot& s) {
  auto& [taken_at, totals, ports, flows, rules, next_hops] = s;
  a.item(taken_at);
  a.item(totals);
  a.list(ports);
  a.list(flows);
  a.list(rules);
  a.list(next_hops);
}

}  // namespace softfeb::fabric
