// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/congestion_control.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Packets in flight, summed over the queue pairs that share a CongestionControl object. Bytes are
/// counted in the same way as in congestion control: BTH through pad.
struct Flight {
  std::uint64_t bytes = 0;  ///< bytes that were sent and are neither acknowledged nor about to be resent
  /// Packets acknowledged, plus packets given up because their queue pair failed or was renewed.
  std::uint64_t acked = 0;
  std::uint64_t sent = 0;  ///< packets sent at least once
  /// Number of queue pairs with a packet in flight that requests an acknowledgement.
  std::uint32_t awaiting = 0;
};

/// Departure times (stamps) of packets in flight, from which RTT samples are computed. The packets belong to
/// one queue pair. Only a packet that requested an acknowledgement and was sent only once (Karn's rule) has a
/// stamp. At most kCapacity packets have a stamp.
class RttStamps {
 public:
  static constexpr std::size_t kCapacity = 8;

  /// Packets must be added in order. If the ring is full, `packet` gets no stamp.
  void add(std::uint64_t packet, Time at) {
    if (count_ == kCapacity) return;
    const std::size_t i = (first_ + count_++) % kCapacity;
    packets_[i] = static_cast<std::uint32_t>(packet);
    times_[i] = at;
  }
  /// Returns the time at which `packet` left, if the packet has a stamp. Discards this stamp and all older
  /// stamps.
  std::optional<Time> take(std::uint64_t packet) {
    std::optional<Time> at;
    while (count_ != 0) {
      const auto ahead = static_cast<std::int32_t>(packets_[first_] - static_cast<std::uint32_t>(packet));
      if (ahead > 0) break;
      if (ahead == 0) at = times_[first_];
      first_ = static_cast<std::uint8_t>((first_ + 1) % kCapacity);
      --count_;
    }
    return at;
  }
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }

 private:
  std::array<Time, kCapacity> times_{};
  std::array<std::uint32_t, kCapacity> packets_{};  ///< packet numbers, modulo 2^32
  std::uint8_t first_ = 0;
  std::uint8_t count_ = 0;
};

/// The congestion control header (CCH) of a queue pair's requests.
struct CchSettings {
  std::uint16_t port = 0;    ///< UDP port; 0 means no CCH
  std::uint8_t profile = 0;  ///< CongestionHeader::profile; 0 means no CCH
};

/// Tracks the packets of one queue pair for its congestion control: bytes in flight, RTT samples, and which
/// packets must request an acknowledgement. A queue pair has a FlightTracker only if it is RC and its
/// congestion control observes acknowledgements or has a window.
class alignas(64) FlightTracker {
 public:
  /// For `ack_spacing`, see CongestionControl::ack_spacing(). `shared` is the flight of the group if queue
  /// pairs share the congestion control, and must outlive the tracker; it is null if the queue pair has a
  /// flight of its own. `posted` counts the messages posted on the board, for algorithms that use the order
  /// of messages; it is null if the order is not used.
  explicit FlightTracker(std::uint32_t ack_spacing, const CchSettings& cch = {}, Flight* shared = nullptr,
                         std::uint64_t* posted = nullptr)
      : shared_(shared), posted_(posted), ack_spacing_(ack_spacing), cch_(cch) {}
  FlightTracker(FlightTracker&&) = default;

  const CchSettings& cch() const { return cch_; }
  /// Returns the flight of the group, or of this queue pair alone if it is not in a group.
  const Flight& flight() const { return shared_ != nullptr ? *shared_ : own_; }
  /// True if the window is closed. A packet may leave while fewer bytes than `window` are in flight, so the
  /// last packet may exceed the window. It may happen that the window is exceeded although no acknowledgement
  /// is expected, for example after the window has shrunk. One more packet may then leave. That packet
  /// requests an acknowledgement.
  bool closed(std::uint64_t window) const {
    const Flight& f = flight();
    return f.bytes >= window && f.awaiting != 0;
  }
  /// True if a packet of `bytes` bytes must request an acknowledgement: because the ack spacing is reached,
  /// or because the packet closes the window, which only an acknowledgement can reopen.
  bool asks(std::uint32_t bytes, std::uint64_t window) const {
    const bool due = ack_spacing_ != congestion::CongestionControl::kNoAckSpacing &&
                     std::uint64_t{unasked_} + bytes >= ack_spacing_;
    return due || flight().bytes + bytes >= window;
  }

  /// Returns the position of a newly posted message in the order in which the board's messages are posted;
  /// 0 if this order is not used. Call once per message.
  std::uint64_t take_order() { return posted_ == nullptr ? 0 : (*posted_)++; }

  struct Sent {
    std::uint32_t bytes;
    bool first_time;
    bool asked;  ///< the packet requests an acknowledgement
  };
  /// Call when packet number `packet` of the queue pair was sent.
  void sent(const Sent& p, std::uint64_t packet, Time now) {
    Flight& f = mutable_flight();
    f.bytes += p.bytes;
    bytes_ += p.bytes;
    if (p.first_time) {
      ++f.sent;
      ++packets_;
      if (p.asked) stamps_.add(packet, now);
    }
    unasked_ = p.asked ? 0 : unasked_ + p.bytes;
    if (p.asked) set_awaiting(true);
  }
  struct Acknowledged {
    std::uint64_t bytes;
    std::uint32_t packets;
    std::uint64_t last;  ///< number of the last packet acknowledged
    /// True if the acknowledgement is an ACK for packet `last`. False if it is part of a NAK, which yields no
    /// RTT sample.
    bool sample;
    bool awaiting;  ///< a further acknowledgement is expected
  };
  congestion::Ack acknowledged(const Acknowledged& a) {
    Flight& f = mutable_flight();
    // After a go-back, packets that are about to be resent may be acknowledged. Such packets do not count as
    // in flight.
    const std::uint64_t left = std::min(bytes_, a.bytes);
    f.bytes -= left;
    bytes_ -= left;
    f.acked += a.packets;
    packets_ -= a.packets;
    set_awaiting(a.awaiting);
    const std::optional<Time> stamp = stamps_.take(a.last);
    return {.sent_at = a.sample ? stamp : std::nullopt,
            .bytes = a.bytes,
            .packets = a.packets,
            .acked = f.acked,
            .sent = f.sent};
  }
  /// Call when all unacknowledged packets will be sent again.
  void go_back() {
    mutable_flight().bytes -= bytes_;
    bytes_ = 0;
    unasked_ = 0;
    stamps_.clear();
    set_awaiting(false);
  }
  /// Call when the unacknowledged packets will never be acknowledged, because the queue pair failed or was
  /// renewed.
  void give_up() {
    go_back();
    mutable_flight().acked += packets_;
    packets_ = 0;
  }

 private:
  Flight& mutable_flight() { return shared_ != nullptr ? *shared_ : own_; }
  void set_awaiting(bool awaiting) {
    if (awaiting == awaiting_) return;
    awaiting_ = awaiting;
    mutable_flight().awaiting += awaiting ? 1U : UINT32_MAX;
  }

  Flight own_;
  Flight* shared_;
  std::uint64_t* posted_;
  std::uint64_t bytes_ = 0;    ///< bytes of this queue pair in flight
  std::uint64_t packets_ = 0;  ///< packets of this queue pair sent and not acknowledged
  std::uint32_t ack_spacing_;
  std::uint32_t unasked_ = 0;  ///< bytes sent since the last packet that requested an acknowledgement
  CchSettings cch_;
  bool awaiting_ = false;
  RttStamps stamps_;
};
static_assert(sizeof(FlightTracker) <= 192, "memory of a queue pair");

}  // namespace softfeb::engine
