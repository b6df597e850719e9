// SPDX-License-Identifier: BSD-3-Clause
#include "switch_port.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace softfeb::ns3model {

namespace {

/// Number of bytes that a queue with the smallest weight may send in each round of deficit round robin.
constexpr std::uint64_t kQuantum = 2048;
/// The scheduler counts at least this number of bytes for a frame: the minimum Ethernet frame without FCS.
constexpr std::uint64_t kLeastScheduled = 60;

}  // namespace

SwitchPort::SwitchPort(const fabric::SwitchConfig& config, ns3::Ptr<EthernetDevice> dev,
                       roce::PauseMode pauses, MarkingNumbers numbers, const roce::MacAddress& to)
    : device(dev),
      flow_control(pauses),
      pause_to(to),
      overhead_(config.scheduler.overhead),
      numbers_(std::move(numbers)) {
  std::uint32_t least = UINT32_MAX;
  for (const fabric::QueueConfig& q : config.queues)
    if (q.weight != 0) least = std::min(least, q.weight);
  for (std::size_t q = 0; q < kQueues; ++q) quantum_[q] = config.queues[q].weight * kQuantum / least;
  counters.rate = device->byte_rate();
}

void SwitchPort::push(QueuedFrame frame) {
  const std::uint8_t q = frame.queue;
  bytes_[q] += frame.length;
  total_ += frame.length;
  waiting_ = static_cast<std::uint8_t>(waiting_ | 1U << q);
  queues_[q].push_back(std::move(frame));
}

QueuedFrame SwitchPort::pop(Time now) {
  const std::uint8_t q = choose(static_cast<std::uint8_t>(waiting_ & open(now)));
  QueuedFrame frame = std::move(queues_[q].front());
  queues_[q].pop_front();
  bytes_[q] -= frame.length;
  total_ -= frame.length;
  if (queues_[q].empty()) {
    waiting_ = static_cast<std::uint8_t>(waiting_ & ~(1U << q));
    deficit_[q] = 0;
  }
  return frame;
}

/// Chooses a queue by strict priority, then by deficit round robin (Shreedhar and Varghese 1995).
std::uint8_t SwitchPort::choose(std::uint8_t candidates) {
  if (std::has_single_bit(candidates)) return static_cast<std::uint8_t>(std::countr_zero(candidates));
  for (std::size_t q = kQueues; q-- > 0;)
    if ((candidates >> q & 1) != 0 && quantum_[q] == 0) return static_cast<std::uint8_t>(q);
  for (;;) {
    if ((candidates >> turn_ & 1) != 0) {
      const std::uint64_t cost =
          std::max<std::uint64_t>(queues_[turn_].front().length, kLeastScheduled) + overhead_;
      if (deficit_[turn_] >= cost) {
        deficit_[turn_] -= cost;
        return turn_;
      }
    }
    do {
      turn_ = static_cast<std::uint8_t>((turn_ + 1) % kQueues);
    } while ((candidates >> turn_ & 1) == 0);
    deficit_[turn_] += quantum_[turn_];
  }
}

std::size_t SwitchPort::size() const {
  std::size_t n = control.size();
  for (const auto& queue : queues_) n += queue.size();
  return n;
}

void SwitchPort::told(const roce::MacControl& pause, Time now) {
  const bool pfc = pause.kind == roce::MacControl::Kind::kPfc;
  if (flow_control != (pfc ? roce::PauseMode::kPfc : roce::PauseMode::kPause)) return;
  for (std::size_t q = 0; q < kQueues; ++q) {
    if (pfc && (pause.enabled >> q & 1) == 0) continue;
    const std::uint16_t quanta = pause.quanta[pfc ? q : 0];
    paused_until_[q] =
        quanta == 0 ? std::min(paused_until_[q], now) : now + roce::pause_time(quanta, device->byte_rate());
  }
}

std::uint8_t SwitchPort::open(Time now) const {
  unsigned mask = 0;
  for (std::size_t q = 0; q < kQueues; ++q)
    if (paused_until_[q] <= now) mask |= 1U << q;
  return static_cast<std::uint8_t>(mask);
}

Time SwitchPort::opens_at() const {
  Time first = kNever;
  for (std::size_t q = 0; q < kQueues; ++q)
    if ((waiting_ >> q & 1) != 0) first = std::min(first, paused_until_[q]);
  return first;
}

/// Draws a random number only if `queued` is between the two thresholds, where the number decides.
bool SwitchPort::marks(const fabric::EcnMarking& ecn, std::uint64_t queued) {
  if (!ecn.enabled || queued < ecn.kmin) return false;
  if (queued >= ecn.kmax) return true;
  const double pmax = std::ldexp(static_cast<double>(ecn.pmax), -32);
  return numbers_() <
         pmax * static_cast<double>(queued - ecn.kmin) / static_cast<double>(ecn.kmax - ecn.kmin);
}

}  // namespace softfeb::ns3model
