// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"
#include "frames.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace softfeb::test {

/// A wire in virtual time that connects endpoints, which must outlive the wire. Time jumps from event to
/// event. A frame arrives `delay` after it was sent, unless the wire loses it. The wire drops frames to
/// unknown addresses.
class Wire {
 public:
  /// A probability of 1 % in the unit of `loss`, `duplicate` and `reorder`.
  static constexpr std::uint64_t kPercent = (std::uint64_t{1} << 32) / 100;

  explicit Wire(const std::vector<engine::Endpoint*>& endpoints = {}, std::uint64_t seed = 1);
  void add(engine::Endpoint& endpoint);

  Time now = 0;
  Time delay = 2 * kMicrosecond;
  std::uint64_t loss = 0;       ///< probability times 2^32 that a frame is lost
  std::uint64_t duplicate = 0;  ///< probability times 2^32 that a frame is duplicated
  std::uint64_t reorder = 0;    ///< probability times 2^32 that a frame takes up to 10 µs longer
  bool bursts = false;          ///< true: frames that arrive at the same time form one burst
  bool keep_log = false;
  std::vector<Bytes> log;  ///< frames sent, if `keep_log`
  /// Called for each frame sent; if it returns false, the wire does not carry the frame.
  std::function<bool(engine::Endpoint& from, const engine::TxFrame& frame)> tap;

  std::uint64_t sent = 0;       ///< frames sent, including lost ones, but not those that `tap` removed
  std::uint64_t lost = 0;       ///< frames lost because of `loss`
  std::uint64_t arrived = 0;    ///< frames delivered to endpoints, including injected ones
  std::uint64_t unclaimed = 0;  ///< frames dropped because no endpoint has their address

  /// Handles events until done() returns true. Returns false if the time exceeds `limit` before that, or if
  /// no events remain.
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
  /// Handles all events until `end`, and sets the time to `end`.
  void run_until(Time end);
  /// Advances the time by `by` without handling the endpoints' events, then delivers the frames that are due.
  void skip(Time by);
  /// Takes the frames that the endpoints want to send now, and puts them on the wire.
  void collect();

  /// Delivers a frame now.
  void inject(const Segments& frame);
  void inject(ByteSpan frame) { inject(Segments(frame)); }

 private:
  struct InFlight {
    Time at = 0;
    Bytes bytes;
  };

  static constexpr std::size_t kBurst = 8;

  void take(engine::Endpoint& from, const engine::TxFrame& frame);
  Time next_event() const;
  void deliver();

  std::vector<engine::Endpoint*> endpoints_;
  engine::Demux demux_;
  Rng rng_;
  std::deque<InFlight> flight_;  ///< sorted by arrival time
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, kBurst> rooms_{};
};

}  // namespace softfeb::test
