// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "latency/stage.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::latency {

/// Identifies a message by its queue pair and the PSN of its last packet. The sender and the receiver both
/// know these numbers, so packets need no additional field. 0 means no message.
using MessageKey = std::uint64_t;

/// Tells which board or receiver has the queue pair whose number (QPN) a MessageKey contains.
struct QpOwner {
  static constexpr std::uint16_t kOfBoard = 0x8000;

  /// The owner is receiver number `r` in this process. Keys with this owner contain the receiver's QPN.
  static constexpr std::uint16_t receiver(std::size_t r) { return static_cast<std::uint16_t>(r & 0x7fff); }
  /// The owner is board number `b`, whose receiver is in another process or on another host. Keys with this
  /// owner contain the board's QPN.
  static constexpr std::uint16_t board(std::size_t b) {
    return static_cast<std::uint16_t>(kOfBoard | (b & 0x7fff));
  }
};

/// `owner` is a value of QpOwner. `qpn` and `last_psn` have 24 bits.
constexpr MessageKey message_key(std::uint16_t owner, std::uint32_t qpn, std::uint32_t last_psn) {
  return MessageKey{owner} << 48 | MessageKey{qpn} << 24 | last_psn;
}

/// True if no receiver of this process reports the message.
constexpr bool sent_elsewhere(MessageKey key) { return (key >> 63) != 0; }

/// Selects one message in `sample`. The selection depends only on the key, so the sender and the receiver
/// select the same messages without communication, even if messages are lost. The key's bits are mixed,
/// because the last PSNs of long messages have a common divisor with most values of `sample`.
class Sampling {
 public:
  /// If `sample` is 0, no message is selected.
  explicit constexpr Sampling(std::uint32_t sample = 0)
      : below_(sample == 0 ? 0 : ((std::uint64_t{1} << 32) + sample - 1) / sample) {}

  constexpr bool selects(MessageKey key) const {
    return ((key ^ (key >> 29)) * 0x9e3779b97f4a7c15U) >> 32 < below_;
  }

 private:
  std::uint64_t below_;
};

/// Records the times at which selected messages reach the stages. Each worker has its own object. put() must
/// be called only for messages for which selects() returns true. No function may block or allocate.
class Stamps {
 public:
  explicit Stamps(Sampling sampling) : sampling_(sampling) {}
  virtual ~Stamps() = default;

  bool selects(MessageKey key) const { return sampling_.selects(key); }
  virtual void put(MessageKey key, Stage stage, Time at) = 0;
  /// Returns the present time. `now` is the time at which the current iteration of the worker's loop began; a
  /// stage may be reached later during the iteration. In virtual time, the result is `now`.
  virtual Time clock(Time now) = 0;
  /// Call when packets have just been received from a port. Until the next call, the time of this call is the
  /// arrival time of all packets.
  void received() { arrived_ = clock(0); }
  /// Call when a frame that carries a message's key was built for a port.
  void mark_frame() { ++marked_; }
  /// Call when the port has found the keys of `n` frames.
  void unmark_frames(std::size_t n) { marked_ -= n; }
  /// True if the port must look for keys in its frames.
  bool has_marked_frames() const { return marked_ != 0; }
  /// Time of arrival of a packet that is processed at `now`: the time of the latest call of received(), or
  /// `now` if that is later.
  Time arrival(Time now) const { return arrived_ > now ? arrived_ : now; }

 private:
  Sampling sampling_;
  Time arrived_ = 0;
  std::size_t marked_ = 0;
};

/// How a queue pair or a receiver reports its messages.
struct StampSource {
  Stamps* stamps = nullptr;  ///< null if messages are not reported. Must outlive its user
  std::uint16_t owner = 0;   ///< a value of QpOwner

  MessageKey key(std::uint32_t qpn, std::uint32_t last_psn) const {
    return message_key(owner, qpn, last_psn);
  }
  auto operator<=>(const StampSource&) const = default;
};

}  // namespace softfeb::latency
