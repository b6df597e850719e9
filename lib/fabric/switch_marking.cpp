// SPDX-License-Identifier: BSD-3-Clause
#include "base/uint128.hpp"
#include "fabric/marking.hpp"
#include "fabric/network_impl.hpp"
#include "fabric/wire_time.hpp"

#include <algorithm>

namespace softfeb::fabric {

/// Updates the average length of a queue for a frame that finds `queued` bytes, and returns the average. If
/// the queue is empty, the average first decays as if frames of this length had arrived at the empty queue
/// back to back since the last departure from the queue.
std::uint64_t Network::Parts::average_length(Port& port, const EcnMarking& ecn, const Frame& frame,
                                             std::uint64_t queued, Time now) {
  AverageLength& average = port.averages[frame.queue];
  if (queued == 0) {
    const Uint128 sent = Uint128{now - port.served_at[frame.queue]} * port.counters.rate;
    const auto frames = static_cast<std::uint64_t>(sent / kSecond / wire_bytes(frame.length));
    if (frames > 1) average.idle(frames - 1, ecn.weight);
  }
  average.arrive(queued, ecn.weight);
  return average.bytes(ecn.weight);
}

/// Applies EcnMarking to an arriving frame before its queue admits it. If marking depends on the average
/// length of the queue, replaces `queued`, the number of bytes that the frame finds, by this average. Returns
/// false if the frame must be dropped because it is not ECN-capable (EcnMarking::drop_not_ect).
bool Network::Parts::passes_arrival(Port& port, const EcnMarking& ecn, const Frame& frame,
                                    std::uint64_t& queued, Time now) {
  if (ecn.weight != 0) queued = average_length(port, ecn, frame, queued, now);
  return ecn.at_dequeue || !ecn.drop_not_ect || ecn_capable(frame) || !marks(ecn, queued, port.marking);
}

/// Applies EcnMarking to a frame that is about to leave a queue with at_dequeue. Marks the frame if
/// necessary. Returns false if the frame must be dropped because it is not ECN-capable.
bool Network::Parts::passes_departure(Port& port, const EcnMarking& ecn, Frame& frame) {
  const bool markable = (frame.facts & kFactEct) != 0;
  if (!markable && (!ecn.drop_not_ect || ecn_capable(frame))) return true;
  const std::uint64_t behind =
      ecn.weight != 0 ? port.averages[frame.queue].bytes(ecn.weight) : port.queued(frame.queue);
  if (!marks(ecn, behind, port.marking)) return true;
  if (markable) mark(port, frame);
  return markable;
}

void Network::Parts::mark(Port& port, Frame& frame) {
  mark_congestion(frame);
  ++port.counters.ecn_marked;
  ++port.counters.queues[frame.queue].ecn_marked;
  if (frame.flow != kNoFlow) ++flows[frame.flow].ecn_marked;
}

void Network::Parts::drop_early(Port& port, Frame* frame) {
  ++port.counters.ecn_dropped;
  ++port.counters.dropped;
  ++port.counters.queues[frame->queue].dropped;
  drop(frame, totals.dropped_buffer);
}

/// Dequeues and returns the next data frame that leaves through `port`; null if no frame may leave. Before
/// this frame, dequeues and drops the frames that passes_departure() refuses.
Frame* Network::Parts::next_data(Port& port, Time now) {
  for (;;) {
    Frame* const frame = port.pop(port.may_send(port.queues.waiting(), now));
    if (frame == nullptr || ((port.marks_leaving | port.forced) >> frame->queue & 1) == 0) return frame;
    const EcnMarking& ecn = switches[port.switch_index].config->queues[frame->queue].ecn;
    if ((port.marks_leaving >> frame->queue & 1) == 0 || passes_departure(port, ecn, *frame)) {
      if ((port.forced >> frame->queue & 1) != 0 && port.told.until(frame->queue) > now)
        ++port.counters.watchdog_forwarded;
      return frame;
    }
    after_leaving(port, *frame, now);
    drop_early(port, frame);
  }
}

}  // namespace softfeb::fabric
