// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/homa_rules.hpp"
#include "congestion/leftist_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::congestion {

/// Homa's sender: selects the next packet of a board with several queue pairs (Homa, section 3.2). The
/// message with the fewest packets left goes first; the older one wins a tie. Sans-I/O; only the constructor
/// allocates.
///
/// Packets have running numbers per queue pair, from 0 and across messages. The caller converts PSNs to the
/// nearest running number.
class HomaSender {
 public:
  struct Packet {
    std::uint32_t lane;    ///< queue pair that sends the packet
    std::uint64_t number;  ///< running number of the packet
    std::uint8_t priority;
    bool ack_req;  ///< set on the last packet of a message, and if no packet may follow

    bool operator==(const Packet&) const = default;
  };
  struct Capacity {
    std::uint32_t lanes;     ///< queue pairs, numbered 0…lanes − 1
    std::uint32_t messages;  ///< total for all queue pairs; a message counts until it is fully acknowledged
  };
  /// How to answer a RESEND request.
  enum class ResendAnswer : std::uint8_t {
    kNone,    ///< do nothing, because the packet has been acknowledged
    kGoBack,  ///< the packet was sent: resend from the first unacknowledged packet
    kBusy,    ///< the packet was never sent: answer with BUSY
  };

  /// Throws std::invalid_argument, see HomaRules.
  HomaSender(const HomaParameters& parameters, Capacity capacity,
             std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  // `lane` must be below the capacity in all calls.

  /// Appends a message of `length` bytes. Returns false and changes nothing if the capacity for messages is
  /// exhausted: post again after an acknowledgement has completed a message.
  [[nodiscard]] bool post(std::uint32_t lane, std::uint32_t length);
  /// Packets with numbers below `granted` may leave. Old and repeated grants have no effect. A
  /// priority above the scheduled levels is reduced to the highest scheduled level.
  void grant(std::uint32_t lane, std::uint64_t granted, std::uint8_t priority);
  /// The receiver requests the packet with the running number `first`, and repeats a grant.
  ResendAnswer resend(std::uint32_t lane, std::uint64_t first, std::uint64_t granted, std::uint8_t priority);
  /// Packets below `acked` are acknowledged. Ignores old and impossible acknowledgements.
  void ack(std::uint32_t lane, std::uint64_t acked);
  /// Sequence NAK or timeout: the next packet is the first unacknowledged one.
  void go_back(std::uint32_t lane);
  /// Queue pair of the next packet; nullopt if none may leave.
  std::optional<std::uint32_t> next_lane() const;
  /// The next packet, which is then considered sent; nullopt if none may leave.
  std::optional<Packet> send();

  /// Number of the next packet to be sent, number of packets acknowledged, and number of packets granted.
  std::uint64_t next(std::uint32_t lane) const { return lanes_[lane].next; }
  std::uint64_t acked(std::uint32_t lane) const { return lanes_[lane].acked; }
  std::uint64_t granted(std::uint32_t lane) const { return lanes_[lane].granted; }

 private:
  static constexpr std::uint32_t kNone = LeftistHeap::kNone;
  static constexpr std::uint8_t kNeverSent = UINT8_MAX;

  struct Message {
    std::uint64_t first = 0;   ///< running number of its first packet
    std::uint64_t posted = 0;  ///< position in the order in which messages were posted
    std::uint32_t length = 0;
    std::uint32_t packets = 0;
    std::uint32_t following = kNone;  ///< next message of the lane, or next free entry

    std::uint64_t end() const { return first + packets; }
  };
  struct Lane {
    std::uint64_t end = 0;      ///< number of packets posted
    std::uint64_t next = 0;     ///< number of the next packet to send
    std::uint64_t highest = 0;  ///< number of packets sent at least once
    std::uint64_t acked = 0;
    std::uint64_t granted = 0;     ///< packets below this number may leave
    std::uint32_t oldest = kNone;  ///< list of messages that are not fully acknowledged
    std::uint32_t newest = kNone;
    std::uint32_t current = kNone;   ///< the message of packet `next`
    std::uint8_t scheduled = 0;      ///< priority of the last grant
    std::uint8_t last = kNeverSent;  ///< priority of the last packet sent
  };

  std::uint64_t limit(const Lane& q, const Message& m) const;
  bool may_send(const Lane& q) const;
  auto by_packets_left() const;
  void follow(Lane& q);
  void reschedule(std::uint32_t lane);
  void schedule(std::uint32_t lane);

  HomaRules rules_;
  bool keep_order_;
  std::uint64_t posted_ = 0;
  std::pmr::vector<Lane> lanes_;
  std::pmr::vector<Message> messages_;
  std::uint32_t free_;
  LeftistHeap ready_;           ///< lanes that may send
  std::uint32_t best_ = kNone;  ///< root of ready_
};

}  // namespace softfeb::congestion
