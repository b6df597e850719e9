// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_recorder.hpp"

#include <algorithm>

namespace softfeb::detector {

FragmentVerdict EventRecorder::add(EventBuilder& builder, Time now, const Fragment& fragment,
                                   const EventHeader& header, ByteSpan payload) {
  pending_ = {&header, payload, fragment.trigger};
  const FragmentVerdict verdict = builder.add(now, fragment);
  if (pending_.header != nullptr && verdict == FragmentVerdict::kAccepted) record_fragment(header, payload);
  pending_.header = nullptr;
  return verdict;
}

void EventRecorder::on_closed(const ClosedEvent& event) {
  // During add(), only the event of the current fragment can become complete.
  const bool completing = event.status() == EventStatus::kComplete && pending_.header != nullptr;
  if (!completing) {
    record_closed(event, std::nullopt);
    return;
  }
  record_fragment(*pending_.header, pending_.payload);
  pending_.header = nullptr;
  record_closed(event, event.at() - std::min(event.at(), pending_.trigger));
}

std::uint32_t count_pieces(const ClosedEvent& event, std::uint32_t board) {
  if (!event.arrived(board)) return 0;
  const std::uint32_t end = event.pieces(board);
  std::uint32_t count = 0;
  for (std::uint32_t at = event.find_present(board, 0); at < end;) {
    const std::uint32_t gap = event.find_missing(board, at);
    count += gap - at;
    at = event.find_present(board, gap);
  }
  return count;
}

}  // namespace softfeb::detector
