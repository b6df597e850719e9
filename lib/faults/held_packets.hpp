// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::faults {

/// Limits on the packets that rules hold back.
struct HoldLimits {
  std::uint32_t packets = 256;  ///< maximum number of packets held at a time, including copies for replays
  Time longest = kMillisecond;  ///< a packet leaves after this time even if no packet has overtaken it
};

/// Stores the packets that fault rules hold back, and the packets that fault rules replay. `Packet` is a
/// pointer. The store does not own the packets; the caller releases them with clear(). No allocation after
/// construction.
template <class Packet>
class HeldPackets {
 public:
  /// `limit` is the maximum number of packets, including those that are kept for replays. `replays` is the
  /// maximum number of packets that are kept for replays.
  HeldPackets(std::size_t limit, std::size_t replays) : limit_(limit), kept_(replays) {
    held_.reserve(limit);
  }

  bool full() const { return held_.size() + kept_count_ >= limit_; }
  std::size_t held() const { return held_.size(); }

  /// Holds `packet` of queue pair `qp` until `due`, or until `behind` packets of the queue pair have
  /// overtaken it. If `behind` is 0, only `due` counts. Requires !full() and due != 0.
  void hold(Packet packet, std::uint32_t qp, std::uint32_t behind, Time due) {
    held_.push_back({packet, qp, behind, due});
    next_due_ = std::min(next_due_, due);
  }

  /// Counts a packet of `qp` that leaves, and thereby overtakes held packets. Held packets that need not wait
  /// for more packets become due at time 0.
  void overtaken(std::uint32_t qp) {
    for (Held& h : held_) {
      if (h.qp != qp || h.behind == 0 || --h.behind != 0) continue;
      h.due = 0;
      next_due_ = 0;
    }
  }

  /// Removes and returns the first packet that is due at `now`; null if there is none.
  Packet take_due(Time now) {
    if (next_due_ > now) return nullptr;
    const auto due = std::min_element(held_.begin(), held_.end(),
                                      [](const Held& a, const Held& b) { return a.due < b.due; });
    const Packet packet = due->packet;
    held_.erase(due);
    next_due_ = kNever;
    for (const Held& h : held_) next_due_ = std::min(next_due_, h.due);
    return packet;
  }
  Time next_due() const { return next_due_; }

  /// Keeps `packet` for replay `index`, which must be less than `replays`. Requires !full(), and that no
  /// packet is kept for this replay yet.
  void keep(std::size_t index, Packet packet) {
    kept_[index] = packet;
    ++kept_count_;
  }
  /// Returns the packet of replay `index`, which remains in the store; null if there is none.
  Packet kept(std::size_t index) const { return kept_[index]; }

  /// Passes all packets to `release`, and empties the store.
  template <class Release>
  void clear(Release&& release) {
    for (const Held& h : held_) release(h.packet);
    for (Packet& packet : kept_) {
      if (packet != nullptr) release(packet);
      packet = nullptr;
    }
    held_.clear();
    kept_count_ = 0;
    next_due_ = kNever;
  }

 private:
  struct Held {
    Packet packet = nullptr;
    std::uint32_t qp = 0;
    std::uint32_t behind = 0;
    Time due = 0;
  };

  std::size_t limit_ = 0;
  std::vector<Held> held_;  ///< in the order in which they were held
  std::vector<Packet> kept_;
  std::size_t kept_count_ = 0;
  Time next_due_ = kNever;
};

}  // namespace softfeb::faults
