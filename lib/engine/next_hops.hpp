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

/// The next hops of a board's queue pairs. Decides when to send a request (ARP or neighbour solicitation) for
/// each.
///
/// - Requests are not queued: the sender calls next_request() when it has room for a frame, so no request is
///   lost. Queue pairs that wait for the same next hop share its requests.
/// - At most kTogether unanswered requests are in flight, and each reply allows the next request. A request
///   is a broadcast that is delivered to every port of the network; the limit prevents hundreds of boards
///   that resolve hundreds of receivers from overloading the network. After kPatience, an unanswered request
///   no longer counts, so that an absent receiver does not delay the requests for other receivers.
/// - After kRetry the request is repeated (at most once per second, RFC 1122 section 2.3.2.1 and RFC 4861),
///   but not before every next hop has been requested once. After kTries requests and another kRetry,
///   resolution fails. A later reply is still accepted.
///
/// add() allocates memory and must be called before traffic starts. No other function allocates memory. Every
/// other function takes constant time, except advance(), whose time is proportional to the number of next
/// hops whose state it changes.
class NextHops {
 public:
  /// Maximum number of next hops of a board. The config loader enforces it. Each next hop uses about 60
  /// bytes.
  static constexpr std::size_t kMost = 16'384;
  static constexpr std::uint32_t kNone = HashChains::kNone;
  static constexpr std::uint32_t kTogether = 4;
  static constexpr unsigned kTries = 5;
  static constexpr Time kRetry = 1 * kSecond;
  static constexpr Time kPatience = 2 * kMillisecond;

  /// Returns the number assigned to `ip`. Adding an address again returns the same number.
  std::uint32_t add(const roce::IpAddress& ip);

  std::size_t size() const { return hops_.size(); }
  /// Number of unresolved next hops, including those whose resolution failed.
  std::size_t unknown() const { return unknown_; }
  bool known(std::uint32_t i) const { return hops_[i].state == State::kKnown; }
  const roce::IpAddress& ip(std::uint32_t i) const { return hops_[i].ip; }
  /// Returns the number of this address; kNone if it was not added.
  std::uint32_t find(const roce::IpAddress& ip) const;

  /// Marks next hop `i` as resolved. Requires !known(i).
  void learned(std::uint32_t i, Time now);

  /// Advances to `now`. Calls `give_up(i)` for each next hop that did not reply to the last of its kTries
  /// requests.
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

  /// Returns the next hop to request at `now` and counts the request as sent; kNone if there is none. Call
  /// advance() first.
  std::uint32_t next_request(Time now);
  /// Time at which advance() or next_request() has work; at most `now` if there is work already.
  Time next_event(Time now) const;

  /// Time from the first request until the last next hop was resolved. 0 if no request was needed, kNever
  /// while any next hop is unknown.
  Time took() const;

 private:
  enum class State : std::uint8_t { kWaiting, kAsked, kKnown, kGivenUp };
  struct Hop {
    roce::IpAddress ip;
    Time asked_at = 0;
    std::uint32_t before = kNone;  ///< previous entry in the list that contains this entry; kNone if first
    std::uint32_t behind = kNone;  ///< next entry in this list; kNone if last
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
  List waiting_;  ///< next hops to be requested, in order
  List asked_;    ///< next hops that were requested, ordered by `asked_at`
  /// First entry of `asked_` that counts towards kTogether; all later ones also count.
  std::uint32_t window_ = kNone;
  std::uint32_t together_ = 0;
  std::size_t unknown_ = 0;
  Time began_ = kNever;
  Time ended_ = kNever;
};

}  // namespace softfeb::engine
