// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"

#include <array>
#include <cstdint>

namespace softfeb::dcqcn {

enum class BucketArithmetic : std::uint8_t {
  /// The firmware's: bytes per clock are (Rc · 1801440) >> 32 in Q16.16, up to 2.4 kB/s below Rc, and a new
  /// Rc takes
  /// three clocks to get into the refill.
  kFirmware,
  /// No rounding at all (credit in bytes / 156,250,000), a new rate refills from the next clock on.
  kExact,
};

struct BucketConfig {
  /// Bytes; the largest burst. A frame larger than this never leaves.
  std::uint32_t size = 1U << 20;
  bool start_full = false;
  /// The firmware's first frame after reset passes at once and is not charged.
  bool first_frame_free = true;
  BucketArithmetic arithmetic = BucketArithmetic::kFirmware;
};

/// The firmware's token bucket (slaclab/surf, RoCEv2AxisBucket and RoCEv2TokenCalc): credit for bytes from
/// BTH through pad, refilled every clock, up to the bucket's size, and a frame leaves when there is credit
/// for all of it. A frame that is sent without credit leaves a debt. Advanced lazily: calls come in the order
/// of their edges.
class TokenBucket {
 public:
  /// Begins with the refill at edge `first`.
  TokenBucket(const BucketConfig& config, std::uint64_t rate, Edge first = 0);
  /// Begins anew, as if made with the same configuration.
  void restart(std::uint64_t rate, Edge first);

  /// The rate is another after edge n. Edges come in order; at most one call for each.
  void set_rate(std::uint64_t rate, Edge n);

  /// The first edge at which a frame of so many bytes can be admitted if the rate does not change any more;
  /// kNoEdge when never. Not before now().
  Edge ready(std::uint32_t bytes) const {
    const auto need = static_cast<std::int64_t>(bytes * units_per_byte());
    return !armed_ || credit_ >= need ? now_ : ready_later(need);
  }
  /// A frame of so many bytes is admitted at edge n.
  void take(std::uint32_t bytes, Edge n) {
    // The edge refills, up to the size, and then charges. Twice filled is filled for the sum.
    if (changes_ == 0) {
      if (now_ <= n) advance(n + 1);
    } else {
      advance_changes(n);
      if (now_ == n) advance(n + 1);
    }
    if (armed_) credit_ -= static_cast<std::int64_t>(bytes * units_per_byte());
    armed_ = true;
  }

  /// take(bytes, n), where a frame of `next` bytes may be admitted at once behind it: what nearly every frame
  /// finds at a rate above what its sender can do. False, and nothing has changed, where that is not so, or
  /// not as simple.
  bool take_with_room(std::uint32_t bytes, std::uint32_t next, Edge n) {
    std::uint64_t more = 0;
    if (changes_ != 0 || !armed_ || now_ > n || __builtin_mul_overflow(n + 1 - now_, refill_, &more))
      return false;
    const std::uint64_t unit = units_per_byte();
    const auto room = static_cast<std::uint64_t>(static_cast<std::int64_t>(size_ * unit) - credit_);
    const std::uint64_t fits = more < room ? more : room;
    const std::int64_t left =
        credit_ + static_cast<std::int64_t>(fits) - static_cast<std::int64_t>(bytes * unit);
    if (left < static_cast<std::int64_t>(next * unit)) return false;
    credit_ = left;
    now_ = n + 1;
    if (fits != more) spilled_ += more - fits;
    return true;
  }

  /// Everything before edge n.
  void advance(Edge n) {
    if (changes_ != 0) {
      advance_changes(n);
    } else if (now_ < n) {
      fill(n - now_);
      now_ = n;
    }
  }
  /// credit() is what there is before this edge.
  Edge now() const { return now_; }
  /// Credit in units of 1 / units_per_byte().
  std::int64_t credit() const { return credit_; }
  std::int64_t credit_bytes() const { return credit_ / static_cast<std::int64_t>(units_per_byte()); }
  /// Credit that found the bucket full. While it is full, changes of the rate are known roughly only
  /// (advance_together).
  std::uint64_t spilled_bytes() const { return spilled_ / units_per_byte(); }
  /// Units that the edge now() adds.
  std::uint64_t refill() const { return refill_; }
  std::uint64_t units_per_byte() const {
    return arithmetic_ == BucketArithmetic::kFirmware ? 1U << 16 : kClocksPerSecond;
  }
  bool full() const { return credit_ == capacity(); }
  /// A rate seen after edge n refills at edge n + this for the first time.
  Edge rate_delay() const { return arithmetic_ == BucketArithmetic::kFirmware ? 3 : 1; }

 private:
  static constexpr std::uint64_t kClocksPerSecond = 156'250'000;

  /// Changes wait for rate_delay() clocks at most, each of them at a clock of its own.
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
  /// As far as there is room, which is less than comes.
  void fill_up(std::uint64_t clocks);
  Edge ready_later(std::int64_t need) const;
  void advance_changes(Edge n);
  Edge change_at(std::size_t i) const {
    return now_ + static_cast<std::uint8_t>(change_at_[i] - static_cast<std::uint8_t>(now_));
  }
  Edge next_change() const { return changes_ == 0 ? kNoEdge : change_at(0); }
  void apply_change();

  // What each frame touches; then what a full bucket and a change of the rate do.
  Edge now_ = 0;
  std::int64_t credit_ = 0;
  std::uint64_t refill_ = 0;
  std::uint32_t size_;
  BucketArithmetic arithmetic_;
  std::uint8_t changes_ = 0;
  bool armed_ = false;
  bool start_full_;
  std::uint64_t spilled_ = 0;
  // Known but not yet in force, by edge, of which the low byte is kept.
  std::array<std::uint64_t, kMostChanges> change_refill_{};
  std::array<std::uint8_t, kMostChanges> change_at_{};
  bool first_frame_free_;
};

}  // namespace softfeb::dcqcn
