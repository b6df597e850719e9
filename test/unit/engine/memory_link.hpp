// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::test {

/// Endpoints on a wire in memory, in virtual time: every frame arrives `delay` later, unless it is lost, and
/// the clock jumps from event to event.
class MemoryLink {
 public:
  explicit MemoryLink(std::vector<engine::Endpoint*> endpoints, std::uint64_t seed = 1)
      : endpoints_(std::move(endpoints)), rng_(seed) {
    for (std::uint32_t i = 0; i < endpoints_.size(); ++i) demux_.insert(endpoints_[i]->identity(), i);
  }

  Time now = 0;
  Time delay = 2 * kMicrosecond;
  std::uint64_t loss = 0;       ///< of 2^32
  std::uint64_t duplicate = 0;  ///< of 2^32
  std::uint64_t reorder = 0;    ///< of 2^32: the frame is delayed by up to 10 µs more
  std::uint64_t frames = 0;
  std::uint64_t lost = 0;
  std::vector<std::vector<std::uint8_t>> log;
  bool keep_log = false;
  bool bursts = false;  ///< frames that arrive at the same time are received as a burst

  /// Runs until `done` or `limit`; returns true if done.
  template <typename Done>
  bool run(Time limit, Done&& done) {
    while (!done()) {
      if (now > limit) return false;
      collect();
      const Time next = next_event();
      if (next == kNever) return done();
      now = std::max(now, next);
      deliver();
    }
    return true;
  }

  void inject(const std::vector<std::uint8_t>& bytes) {
    const auto parsed = roce::parse_frame(ByteSpan(bytes));
    if (parsed.kind == roce::FrameKind::kMacControl) {
      demux_.for_each_paused(parsed.dest_mac,
                             [&](std::uint32_t to) { endpoints_[to]->receive(parsed, now); });
      return;
    }
    const std::uint32_t to = demux_.find(parsed);
    if (to == engine::Demux::kNobody) return;
    if (bursts) {
      endpoints_[to]->expect(parsed);
      endpoints_[to]->receive_in_burst(parsed, now);
    } else {
      endpoints_[to]->receive(parsed, now);
    }
  }

 private:
  struct InFlight {
    Time at = 0;
    std::vector<std::uint8_t> bytes;
  };

  void collect() {
    for (engine::Endpoint* e : endpoints_) {
      for (;;) {
        std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, 8> rooms;
        std::array<engine::TxFrame, 8> out;
        for (std::size_t i = 0; i < out.size(); ++i) out[i].header = rooms[i].data();
        const std::size_t n = e->poll(now, out);
        for (std::size_t i = 0; i < n; ++i) put(out[i]);
        if (n < out.size()) break;
      }
    }
  }

  void put(const engine::TxFrame& f) {
    std::vector<std::uint8_t> bytes(f.header, f.header + f.header_length);
    bytes.insert(bytes.end(), f.payload, f.payload + f.payload_length);
    bytes.insert(bytes.end(), f.trailer.begin(), f.trailer.begin() + f.trailer_length);
    ++frames;
    if (keep_log) log.push_back(bytes);
    if (rng_.chance(loss)) {
      ++lost;
      return;
    }
    for (int copies = rng_.chance(duplicate) ? 2 : 1; copies > 0; --copies) {
      const Time at = now + delay + (rng_.chance(reorder) ? rng_.below(10 * kMicrosecond) : 0);
      const auto where = std::upper_bound(flight_.begin(), flight_.end(), at,
                                          [](Time t, const InFlight& x) { return t < x.at; });
      flight_.insert(where, {at, bytes});
    }
  }

  Time next_event() const {
    Time next = flight_.empty() ? kNever : flight_.front().at;
    for (const engine::Endpoint* e : endpoints_) next = std::min(next, e->next_event(now));
    return next;
  }

  void deliver() {
    while (!flight_.empty() && flight_.front().at <= now) {
      const std::vector<std::uint8_t> bytes = std::move(flight_.front().bytes);
      flight_.pop_front();
      inject(bytes);
    }
    for (engine::Endpoint* e : endpoints_) e->end_of_burst(now);
  }

  std::vector<engine::Endpoint*> endpoints_;
  engine::Demux demux_;
  Rng rng_;
  std::deque<InFlight> flight_;
};

}  // namespace softfeb::test
