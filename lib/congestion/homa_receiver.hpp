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

/// Homa's receiver: schedules grants (Homa, sections 3.3 to 3.5). The shortest messages, one of each peer and
/// at most `overcommit`, are granted one RTT ahead of what has arrived; a message that is fully granted no
/// longer counts. Sans-I/O; only the constructor allocates.
///
/// The caller numbers messages and peers. A queue pair receives its messages one after the other, so its
/// index can number its message. Packets are counted from the first packet of their message.
class HomaReceiver {
 public:
  /// Allows the packets below `granted`, to be sent with `priority`.
  struct Grant {
    std::uint32_t message;
    std::uint32_t granted;
    std::uint8_t priority;

    bool operator==(const Grant&) const = default;
  };
  /// Packet `first` has not arrived, although the packets below `granted` may leave. Repeats the last grant.
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

  /// Messages and peers are numbered 0…capacity − 1. Throws std::invalid_argument, see HomaRules.
  HomaReceiver(const HomaParameters& parameters, Capacity capacity,
               std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// The first packet of a message of `length` bytes from `peer` was accepted at `now`. Replaces an
  /// unfinished message of this number. Returns grants, valid until the next call.
  ///
  /// A message or peer beyond the capacity is not scheduled, and its further packets are ignored. So that its
  /// sender never waits, the whole message is granted at once, with the lowest priority.
  std::span<const Grant> first(Time now, std::uint32_t message, std::uint32_t peer, std::uint32_t length);
  /// A further packet of the message was accepted: neither a duplicate nor behind a gap. Returns grants,
  /// valid until the next call. Ignores a message that is not in progress.
  std::span<const Grant> data(Time now, std::uint32_t message);
  /// The sender answered BUSY: the packets will follow.
  void busy(Time now, std::uint32_t message);
  /// Gives up a message, for example because its queue pair was destroyed. Returns grants to others, valid
  /// until the next call.
  std::span<const Grant> forget(std::uint32_t message);
  /// Returns the requests for packets that have been missing for `resend_interval`, oldest message first;
  /// valid until the next call.
  std::span<const Resend> timer(Time now);
  /// A time not after the next one at which timer() returns requests; kNever if nothing is missing.
  Time deadline() const;

  bool in_progress(std::uint32_t message) const { return message < messages_.size() && known(message); }
  /// Packets that arrived, and packets granted. The message must be in progress.
  std::uint32_t received(std::uint32_t message) const { return messages_[message].received; }
  std::uint32_t granted(std::uint32_t message) const { return messages_[message].granted; }

 private:
  static constexpr std::uint32_t kNone = LeftistHeap::kNone;

  struct Message {
    std::uint64_t born = 0;
    Time heard = 0;  ///< last packet, BUSY or RESEND
    Time check = 0;  ///< when timer() must look at it, not after heard + resend_interval; key in checks_
    std::uint32_t peer = 0;
    std::uint32_t packets = 0;  ///< 0: not in progress
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
  LeftistHeap lengths_;                       ///< of each peer: its messages not fully granted
  std::pmr::vector<std::uint32_t> shortest_;  ///< per peer: root in lengths_
  LeftistHeap peers_;                         ///< the peers with such messages
  std::uint32_t best_peer_ = kNone;           ///< root in peers_
  LeftistHeap checks_;                        ///< messages that timer() must look at
  std::uint32_t first_check_ = kNone;         ///< root in checks_
  std::pmr::vector<std::uint32_t> active_;
  std::pmr::vector<std::uint32_t> frontier_;
  std::pmr::vector<Grant> grants_;
  std::pmr::vector<Resend> resends_;
};

}  // namespace softfeb::congestion
