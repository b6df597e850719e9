// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/hash_chains.hpp"
#include "roce/ip.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace softfeb::engine {

/// The next hops that a board's queue pairs need, and when to ask for the MAC address of each.
///
/// * No request is queued: the sender of frames takes the next one when there is room for it, so that none is
///   lost before it leaves. Each next hop is asked for once, however many queue pairs wait for it.
/// * At most kTogether requests without an answer are under way, and each answer lets the next one go.
///   A request is a broadcast that every port of the network carries; this keeps hundreds of boards that
///   ask for hundreds of receivers at the pace of the network. A request without an answer for kPatience
///   no longer counts, so that an absent receiver does not hold up the others.
/// * After kRetry (RFC 1122 2.3.2.1: at most one a second, likewise RFC 4861) it is asked for again, behind
///   those that have not been; after kTries requests and another kRetry it is given up. An answer that comes
///   later is still taken.
///
/// add() allocates, before packets flow; everything else takes constant time and no memory.
class NextHops {
 public:
  static constexpr std::size_t kMost =
      16'384;  ///< of one board (about 60 bytes each): the configuration's bound
  static constexpr std::uint32_t kNone = HashChains::kNone;
  static constexpr std::uint32_t kTogether = 4;
  static constexpr unsigned kTries = 5;
  static constexpr Time kRetry = 1 * kSecond;
  static constexpr Time kPatience = 2 * kMillisecond;

  /// The number of `ip`; the same for the same address.
  std::uint32_t add(const roce::IpAddress& ip);

  std::size_t size() const { return hops_.size(); }
  /// How many are not known, those that were given up among them.
  std::size_t unknown() const { return unknown_; }
  bool known(std::uint32_t i) const { return hops_[i].state == State::kKnown; }
  const roce::IpAddress& ip(std::uint32_t i) const { return hops_[i].ip; }
  /// The one of this address; kNone.
  std::uint32_t find(const roce::IpAddress& ip) const;

  /// The MAC address of `i` was learned; it was not known before.
  void learned(std::uint32_t i, Time now);

  /// Time has passed: `give_up(i)` for each that did not answer its last request.
  template <typename GiveUp>
  void advance(Time now, GiveUp&& give_up) {
    leave_window(now);
    while (asked_.first != kNone && hops_[asked_.first].asked_at + kRetry <= now) {
      const std::uint32_t i = asked_.first;
      unlink(i);
      if (hops_[i].tries < kTries) {
        link(waiting_, State::kWaiting, i);
      } else {
        hops_[i].state = State::kGivenUp;
        give_up(i);
      }
    }
  }

  /// The one whose request is to leave at `now`, which counts as sent; kNone. advance() has been called.
  std::uint32_t next_request(Time now);
  /// When advance() or next_request() has something to do; at most `now` when at once.
  Time next_event(Time now) const;

  /// From the first request until the last became known: 0 when nobody had to be asked, kNever while one is
  /// not known.
  Time took() const;

 private:
  enum class State : std::uint8_t { kWaiting, kAsked, kKnown, kGivenUp };
  struct Hop {
    roce::IpAddress ip;
    Time asked_at = 0;
    std::uint32_t before = kNone;  ///< neighbours in its list
    std::uint32_t behind = kNone;
    std::uint8_t tries = 0;
    State state = State::kWaiting;
    bool in_window = false;
  };
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  void link(List& list, State state, std::uint32_t i);
  void unlink(std::uint32_t i);
  void leave_window(Time now);
  void end_wait(std::uint32_t i);

  std::vector<Hop> hops_;
  HashChains by_ip_;
  List waiting_;                  ///< for their turn to be asked for
  List asked_;                    ///< in the order of `asked_at`
  std::uint32_t window_ = kNone;  ///< the first in it that counts among kTogether; those behind it do, too
  std::uint32_t together_ = 0;
  std::size_t unknown_ = 0;
  Time began_ = kNever;
  Time ended_ = kNever;
};

}  // namespace softfeb::engine
