// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/queues.hpp"

#include "fabric/rate_limits.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::fabric {

namespace {

/// Quantum in bytes of the queue with the smallest weight. A frame longer than its queue's quantum waits for
/// several rounds.
constexpr std::uint64_t kLeastQuantum = 2048;

}  // namespace

PortQueues::PortQueues(const std::array<QueueConfig, kQueues>& config, const SchedulerConfig& scheduler)
    : overhead_(scheduler.overhead), by_packets_(scheduler.by_packets) {
  std::uint64_t least = UINT32_MAX;
  for (const auto& q : config)
    if (q.weight != 0) least = std::min<std::uint64_t>(least, q.weight);
  for (std::size_t q = 0; q < kQueues; ++q) {
    quantum_[q] = by_packets_ ? config[q].weight : config[q].weight * kLeastQuantum / least;
    if (config[q].weight == 0) strict_ = static_cast<std::uint8_t>(strict_ | (1U << q));
  }
}

std::size_t PortQueues::size() const {
  std::size_t n = 0;
  for (const auto& q : queues_) n += q.size();
  return n;
}

Frame* PortQueues::pop(std::uint8_t may) {
  const auto candidates = static_cast<std::uint8_t>(waiting_ & may);
  if (candidates == 0) return nullptr;
  // If only one queue is a candidate, no deficit accounting is needed.
  if (std::has_single_bit(candidates)) return take(static_cast<std::uint8_t>(std::countr_zero(candidates)));
  const auto strict = static_cast<std::uint8_t>(candidates & strict_);
  if (strict != 0) return take(static_cast<std::uint8_t>(std::bit_width(strict) - 1));
  return take(next_shared(candidates));
}

std::uint64_t PortQueues::cost_of_next(std::size_t queue) const {
  return by_packets_ ? 1 : scheduled_bytes(queues_[queue].front()->length, overhead_);
}

/// Chooses the queue that sends next by deficit round robin: a queue is served while its deficit covers its
/// next frame. If each frame costs 1, this is weighted round robin.
std::uint8_t PortQueues::next_shared(std::uint8_t candidates) {
  for (;;) {
    if ((candidates >> turn_ & 1) != 0) {
      const std::uint64_t need = cost_of_next(turn_);
      if (deficit_[turn_] >= need) {
        deficit_[turn_] -= need;
        return turn_;
      }
    }
    do {
      turn_ = static_cast<std::uint8_t>((turn_ + 1) % kQueues);
    } while ((candidates >> turn_ & 1) == 0);
    deficit_[turn_] += quantum_[turn_];
  }
}

Frame* PortQueues::take(std::uint8_t queue) {
  Frame* const frame = queues_[queue].pop();
  bytes_[queue] -= frame->length;
  total_ -= frame->length;
  if (queues_[queue].empty()) {
    waiting_ = static_cast<std::uint8_t>(waiting_ & ~(1U << queue));
    deficit_[queue] = 0;
  }
  return frame;
}

}  // namespace softfeb::fabric
