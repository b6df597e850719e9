// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/homa_rules.hpp"
#include "congestion/leftist_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace softfeb::congestion {

/// Homa's receiver: schedules grants (Homa, sections 3.3 to 3.5). The receiver selects the shortest messages,
/// at most one per peer and at most `overcommit` in total. For each selected message, it grants packets up to
/// one RTT ahead of the packets that have arrived. A fully granted message does not count towards these
/// limits. Sans-I/O; only the constructor allocates.
///
/// The caller numbers messages and peers. A queue pair receives one message at a time, so the queue pair's
/// index can serve as the message number. Packets are counted from the first packet of their message.
class HomaReceiver {
 public:
  /// Allows the sender to send the packets below number `granted`, with priority `priority`.
  struct Grant {
    std::uint32_t message;
    std::uint32_t granted;
    std::uint8_t priority;

    bool operator==(const Grant&) const = default;
  };
  /// Requests packet `first`, which was granted but has not arrived. The other members repeat the last
  /// grant.
  struct Resend {
    std::uint32_t message;
    std::uint32_t first;
    std::uint32_t granted;
    std::uint8_t priority;

    bool operator==(const Resend&) const = default;
  };
  struct Capacity {
    std::uint32_t messages;
    std::uint32_t peers;
  };

  /// Messages are numbered 0…capacity.messages − 1, and peers 0…capacity.peers − 1. Throws
  /// std::invalid_argument, as HomaRules does.
  HomaReceiver(const HomaParameters& parameters, Capacity capacity,
               std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// Call when the first packet of a message was accepted at `now`. The message has `length` bytes and comes
  /// from `peer`. Replaces an unfinished message with the same number. Returns grants, valid until the next
  /// call.
  ///
  /// A message or peer beyond the capacity is not scheduled, and its further packets are ignored. The whole
  /// message is granted at once, with the lowest priority, so that its sender never waits.
  std::span<const Grant> first(Time now, std::uint32_t message, std::uint32_t peer, std::uint32_t length);
  /// Call when a further packet of the message was accepted. A packet is accepted if it is not a duplicate
  /// and no earlier packet is missing. Returns grants, valid until the next call. Ignores a message that is
  /// not in progress.
  std::span<const Grant> data(Time now, std::uint32_t message);
  /// Call when the sender answered BUSY, which means that it will send the packets later.
  void busy(Time now, std::uint32_t message);
  /// Drops a message, for example because its queue pair was destroyed. Returns grants to other messages,
  /// valid until the next call.
  std::span<const Grant> forget(std::uint32_t message);
  /// Returns requests for packets that have been missing for `resend_interval`, starting with the oldest
  /// message. The result is valid until the next call.
  std::span<const Resend> timer(Time now);
  /// Time at which to call timer(); kNever if nothing is missing. This time may be too early, but it is never
  /// too late.
  Time deadline() const;

  bool in_progress(std::uint32_t message) const { return message < messages_.size() && known(message); }
  /// Number of packets that arrived, and number of packets granted. The message must be in progress.
  std::uint32_t received(std::uint32_t message) const { return messages_[message].received; }
  std::uint32_t granted(std::uint32_t message) const { return messages_[message].granted; }

 private:
  static constexpr std::uint32_t kNone = LeftistHeap::kNone;

  struct Message {
    std::uint64_t born = 0;
    Time heard = 0;  ///< time of the last packet, BUSY or RESEND
    /// Time at which timer() must check this message: heard + resend_interval or earlier. It is the key in
    /// checks_.
    Time check = 0;
    std::uint32_t peer = 0;
    std::uint32_t packets = 0;  ///< packets of the message; 0 if no message is in progress
    std::uint32_t received = 0;
    std::uint32_t granted = 0;
    std::uint8_t priority = 0;
  };

  bool known(std::uint32_t message) const { return messages_[message].packets != 0; }
  bool waiting(const Message& m) const { return m.granted < m.packets; }
  auto by_length() const;
  auto by_best_message() const;
  auto by_check() const;

  std::span<const Grant> grant_unscheduled_rest(std::uint32_t message, std::uint32_t packets);
  std::span<const Grant> accept(Time now, std::uint32_t message, bool others_may);
  void remove(std::uint32_t message);
  void add_waiting(std::uint32_t message);
  void remove_waiting(std::uint32_t message);
  void shorten_waiting(std::uint32_t message);
  std::span<const Grant> grant();
  bool grant_round();
  void watch(std::uint32_t message);

  HomaRules rules_;
  std::uint32_t overcommit_;
  Time resend_interval_;
  std::uint64_t born_ = 0;
  std::pmr::vector<Message> messages_;
  LeftistHeap lengths_;                       ///< one heap per peer: messages that are not fully granted
  std::pmr::vector<std::uint32_t> shortest_;  ///< per peer: root of the peer's heap in lengths_
  LeftistHeap peers_;                         ///< peers that have messages in lengths_
  std::uint32_t best_peer_ = kNone;           ///< root of peers_
  LeftistHeap checks_;                        ///< messages that timer() must check
  std::uint32_t first_check_ = kNone;         ///< root of checks_
  std::pmr::vector<std::uint32_t> active_;
  std::pmr::vector<std::uint32_t> frontier_;
  std::pmr::vector<Grant> grants_;
  std::pmr::vector<Resend> resends_;
};

}  // namespace softfeb::congestion
