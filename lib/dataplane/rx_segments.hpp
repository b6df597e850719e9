// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"

#include <rte_mbuf.h>

namespace softfeb::dataplane {

/// Lists the segments of a received packet. The segments are valid as long as the packet. Returns false when
/// the packet has more segments than Segments holds; `out` then has the first ones, and the packet must be
/// treated as malformed.
inline bool to_segments(const rte_mbuf* packet, Segments& out) {
  out = Segments{};
  for (const rte_mbuf* m = packet; m != nullptr; m = m->next) {
    if (!out.push({rte_pktmbuf_mtod(m, const std::uint8_t*), m->data_len})) return false;
  }
  return true;
}

}  // namespace softfeb::dataplane
