// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace softfeb::dcqcn {

enum class BucketArithmetic : std::uint8_t {
  /// As in the firmware: the refill per clock is (Rc · 1801440) >> 32, a number of bytes with 16 fractional
  /// bits. Because of rounding, the resulting rate is up to 2.4 kB/s below Rc. A new Rc affects the refill
  /// after three clocks.
  kFirmware,
  /// No rounding: the unit of credit is 1/156,250,000 byte. A new rate takes effect at the next clock.
  kExact,
};

struct BucketConfig {
  /// Size in bytes, which is also the largest burst. A larger frame is never admitted, except as the first
  /// frame if `first_frame_free` is true.
  std::uint32_t size = 1U << 20;
  bool start_full = false;
  /// As in the firmware: the first frame after reset passes immediately and is not charged.
  bool first_frame_free = true;
  BucketArithmetic arithmetic = BucketArithmetic::kFirmware;
};

/// The firmware's token bucket (slaclab/surf, RoCEv2AxisBucket and RoCEv2TokenCalc). Credit is counted in the
/// bytes from BTH through pad. The bucket is refilled at every clock, up to its size. A frame may leave when
/// there is credit for all of its bytes; a frame sent without credit leaves a debt. The bucket advances
/// lazily, so calls must be in edge order.
class TokenBucket {
 public:
  /// The first refill is at edge `first`.
  TokenBucket(const BucketConfig& config, std::uint64_t rate, Edge first = 0);
  /// Restarts with the same configuration.
  void restart(std::uint64_t rate, Edge first);

  /// Sets the rate after edge n. Calls must be in ascending order of edges; a further call for the same edge
  /// replaces the earlier one.
  void set_rate(std::uint64_t rate, Edge n);

  /// The first edge at or after now() at which a frame of `bytes` bytes can be admitted if the rate does not
  /// change; kNoEdge if there is none.
  Edge ready(std::uint32_t bytes) const {
    const auto need = static_cast<std::int64_t>(bytes * units_per_byte());
    return !armed_ || credit_ >= need ? now_ : ready_later(need);
  }
  /// Admits a frame of `bytes` bytes at edge n.
  void take(std::uint32_t bytes, Edge n) {
    // At an edge, the bucket is first refilled, up to its size, and then charged. Consecutive refills can be
    // combined into one refill.
    if (changes_ == 0) {
      if (now_ <= n) advance(n + 1);
    } else {
      advance_changes(n);
      if (now_ == n) advance(n + 1);
    }
    if (armed_) credit_ -= static_cast<std::int64_t>(bytes * units_per_byte());
    armed_ = true;
  }

  /// Combines take(bytes, n) with a check whether a frame of `next` bytes can be admitted immediately
  /// afterwards. Returns true if it can, which is the common case if the rate exceeds what the sender can
  /// generate. Otherwise, returns false and changes nothing. Also returns false in the rare cases that only
  /// take() handles, such as a pending rate change.
  bool take_with_room(std::uint32_t bytes, std::uint32_t next, Edge n) {
    const Edge to = std::max(now_, n + 1);  // now_ is already n + 1 if another frame has left at edge n
    std::uint64_t more = 0;
    if (changes_ != 0 || !armed_ || __builtin_mul_overflow(to - now_, refill_, &more)) return false;
    const std::uint64_t unit = units_per_byte();
    const auto room = static_cast<std::uint64_t>(static_cast<std::int64_t>(size_ * unit) - credit_);
    const std::uint64_t fits = more < room ? more : room;
    const std::int64_t left =
        credit_ + static_cast<std::int64_t>(fits) - static_cast<std::int64_t>(bytes * unit);
    if (left < static_cast<std::int64_t>(next * unit)) return false;
    credit_ = left;
    now_ = to;
    if (fits != more) spilled_ += more - fits;
    return true;
  }

  /// Processes all edges before edge n.
  void advance(Edge n) {
    if (changes_ != 0) {
      advance_changes(n);
    } else if (now_ < n) {
      fill(n - now_);
      now_ = n;
    }
  }
  /// The next edge to be processed. credit() is the credit before this edge.
  Edge now() const { return now_; }
  /// Credit in units of 1 / units_per_byte().
  std::int64_t credit() const { return credit_; }
  std::int64_t credit_bytes() const { return credit_ / static_cast<std::int64_t>(units_per_byte()); }
  /// Credit lost because the bucket was full. Approximate, because several rate changes are combined while
  /// the bucket is full (advance_together()).
  std::uint64_t spilled_bytes() const { return spilled_ / units_per_byte(); }
  /// Units added at edge now().
  std::uint64_t refill() const { return refill_; }
  std::uint64_t units_per_byte() const {
    return arithmetic_ == BucketArithmetic::kFirmware ? 1U << 16 : kClocksPerSecond;
  }
  bool full() const { return credit_ == capacity(); }
  /// Clocks from setting a rate to the first refill that uses it.
  Edge rate_delay() const { return arithmetic_ == BucketArithmetic::kFirmware ? 3 : 1; }

 private:
  static constexpr std::uint64_t kClocksPerSecond = 156'250'000;

  /// A rate change is pending for at most rate_delay() clocks, and there is at most one change per clock.
  static constexpr std::size_t kMostChanges = 3;

  std::int64_t capacity() const { return static_cast<std::int64_t>(size_ * units_per_byte()); }
  std::uint64_t refill_for(std::uint64_t rate) const;
  void fill(std::uint64_t clocks) {
    const std::int64_t capacity = this->capacity();
    const auto room = static_cast<std::uint64_t>(capacity - credit_);
    std::uint64_t more = 0;
    if (__builtin_mul_overflow(clocks, refill_, &more)) {
      fill_up(clocks);
    } else if (more <= room) {
      credit_ += static_cast<std::int64_t>(more);
    } else {
      credit_ = capacity;
      spilled_ += more - room;
    }
  }
  /// Fills the bucket completely and counts the excess as spilled.
  void fill_up(std::uint64_t clocks);
  Edge ready_later(std::int64_t need) const;
  void advance_changes(Edge n);
  Edge change_at(std::size_t i) const {
    return now_ + static_cast<std::uint8_t>(change_at_[i] - static_cast<std::uint8_t>(now_));
  }
  Edge next_change() const { return changes_ == 0 ? kNoEdge : change_at(0); }
  void apply_change();

  // The members up to start_full_ are used for every frame. The members after it are used only when the
  // bucket is full or the rate changes.
  Edge now_ = 0;
  std::int64_t credit_ = 0;
  std::uint64_t refill_ = 0;
  std::uint32_t size_;
  BucketArithmetic arithmetic_;
  std::uint8_t changes_ = 0;
  bool armed_ = false;
  bool start_full_;
  std::uint64_t spilled_ = 0;
  // Pending rate changes, in edge order; only the low byte of each edge is stored.
  std::array<std::uint64_t, kMostChanges> change_refill_{};
  std::array<std::uint8_t, kMostChanges> change_at_{};
  bool first_frame_free_;
};

}  // namespace softfeb::dcqcn
