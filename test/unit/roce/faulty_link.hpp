// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace softfeb::test {

/// The probabilities of faults, times 2^32, and the maximum delay.
struct LinkFaults {
  std::uint64_t loss = 0;
  std::uint64_t duplication = 0;
  /// Probability that a packet is delayed by up to max_delay, so that others can overtake it.
  std::uint64_t delay = 0;
  Time max_delay = 20 * kMicrosecond;
};

inline constexpr std::uint64_t percent(unsigned p) { return (std::uint64_t{p} << 32) / 100; }

/// One direction of a link that loses, duplicates and reorders packets. The seed determines all faults.
template <typename Packet>
class FaultyLink {
 public:
  FaultyLink(const LinkFaults& faults, std::uint64_t seed) : faults_(faults), rng_(seed) {}

  void send(Packet packet, Time now) {
    if (rng_.chance(faults_.loss)) return;
    if (rng_.chance(faults_.duplication)) put(packet, now);
    put(std::move(packet), now);
  }

  Time next_arrival() const { return flying_.empty() ? kNever : flying_.top().at; }

  std::optional<Packet> receive(Time now) {
    if (next_arrival() > now) return std::nullopt;
    Packet packet = flying_.top().packet;
    flying_.pop();
    return packet;
  }

 private:
  struct Flying {
    Time at;
    std::uint64_t order;
    Packet packet;
    bool operator<(const Flying& o) const { return std::pair(at, order) > std::pair(o.at, o.order); }
  };

  void put(Packet packet, Time now) {
    constexpr Time kLatency = kMicrosecond;
    const Time held = rng_.chance(faults_.delay) ? rng_.below(faults_.max_delay) : 0;
    flying_.push(Flying{now + kLatency + held, order_++, std::move(packet)});
  }

  LinkFaults faults_;
  Rng rng_;
  std::uint64_t order_ = 0;
  std::priority_queue<Flying> flying_;
};

}  // namespace softfeb::test
