// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "event_log.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softfeb::bench {

/// The frames sent, in order. A frame that the port did not accept was offered again and left at the last
/// offer; going back in time, that is the first occurrence.
inline std::vector<Event> sent_frames(const EventLog& log, std::uint32_t qps) {
  std::vector<Event> frames;
  std::vector<std::uint32_t> later(qps, UINT32_MAX);  // PSN of the previous frame of each queue pair
  for (const Event* e = log.end(); e != log.begin();) {
    --e;
    if (e->kind != Event::Kind::kSent) continue;
    const std::uint32_t psn = e->psn;
    const bool again = later[e->qp] != UINT32_MAX && ((later[e->qp] - psn - 1) & 0x800000) != 0;
    if (again) continue;
    later[e->qp] = psn;
    frames.push_back(*e);
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

}  // namespace softfeb::bench
