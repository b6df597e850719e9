// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/congestion_control.hpp"
#include "congestion/homa_rules.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::congestion {

/// Homa's sender half for one queue pair (Homa, section 3.2). It decides which packets may leave without a
/// grant, the priority of each packet, and the rank of the queue pair's message on its board. The board first
/// sends the message with the fewest packets left, or the oldest one if several messages have equally few.
///
/// Packets are numbered from 0, across messages.
class alignas(64) Homa final : public CongestionControl {
 public:
  /// Memory in bytes of an object for up to `messages` messages that are posted and not yet acknowledged.
  static std::size_t bytes(std::uint32_t messages);
  /// Constructs an object at `place`, where bytes(messages) bytes, aligned to a cache line, must be
  /// available. Throws std::invalid_argument, as HomaRules does.
  static Homa* make(void* place, const HomaParameters& parameters, std::uint32_t messages);

  std::size_t memory() const override { return bytes(capacity_); }
  CongestionState state(Time now) const override;
  std::uint64_t granted_packets() const { return granted_; }

 private:
  static constexpr std::uint8_t kNeverSent = UINT8_MAX;

  struct Message {
    std::uint32_t length = 0;  ///< payload bytes
    /// Position in the order in which the board's messages were posted, modulo 2^32. If two messages
    /// have equally few packets left, and only one of them was posted before the wrap, the later one is sent
    /// first.
    std::uint32_t order = 0;
  };
  /// The message that contains a given packet.
  struct Current {
    std::uint32_t place = 0;  ///< index of the message, counted from the oldest message
    /// Number of packets of the message; 0 if the message has not been determined, or if no such message is
    /// posted.
    std::uint32_t packets = 0;
    std::uint64_t first = 0;  ///< number of the first packet of the message
  };

  Homa(const HomaParameters& parameters, std::uint32_t messages);

  Departure find_departure(std::uint32_t, Time now) override { return {now, true}; }
  void on_sent(std::uint32_t, Time) override {}
  void on_posted(std::uint32_t length, std::uint64_t order, Time now) override;
  void on_granted(std::uint64_t packets, std::uint8_t priority, Time now) override;
  void on_ack(const Ack& ack, Time now) override;
  std::uint64_t find_credit(std::uint64_t packet) const override;
  std::uint8_t choose_priority(std::uint64_t packet) override;
  std::uint64_t find_rank(std::uint64_t packet) const override;

  Message* messages();
  const Message& message(std::uint32_t place) const;
  std::uint32_t packets_at(std::uint32_t place) const { return rules_.packets(message(place).length); }
  /// Sets `current_` to the message that contains `packet`. Returns false if no such message is posted.
  bool locate(std::uint64_t packet) const {
    return packet - current_.first < current_.packets || find_message(packet);
  }
  bool find_message(std::uint64_t packet) const;

  HomaRules rules_;
  std::uint64_t acked_ = 0;         ///< number of packets acknowledged
  std::uint64_t highest_ = 0;       ///< number of packets sent at least once
  std::uint64_t granted_ = 0;       ///< packets below this number may leave
  std::uint64_t first_oldest_ = 0;  ///< first packet of the oldest message
  mutable Current current_;
  std::uint32_t capacity_;
  std::uint32_t oldest_ = 0;        ///< index in messages() of the oldest message that is not acknowledged
  std::uint32_t count_ = 0;         ///< number of messages that are not acknowledged
  std::uint8_t scheduled_ = 0;      ///< priority of the last grant
  std::uint8_t last_ = kNeverSent;  ///< priority of the last packet sent
  bool keep_order_;
};

}  // namespace softfeb::congestion
