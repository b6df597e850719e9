// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace softfeb::latency {

/// Histogram of durations from 1 ns to 2^40 ns (18 minutes), with 32 buckets of equal width in each octave. A
/// percentile is therefore within 1.6 % of the exact value. Count, smallest and largest value are exact.
/// Durations below 1 ns share a bucket of their own; durations above the range are counted in the last
/// bucket. The histogram does not allocate memory.
class StageHistogram {
 public:
  static constexpr std::size_t kPerOctave = 32;
  static constexpr std::size_t kOctaves = 40;
  static constexpr std::size_t kBuckets = 1 + kOctaves * kPerOctave;

  void add(Time took) {
    ++buckets_[bucket_of(took)];
    ++count_;
    sum_ += took;
    min_ = std::min(min_, took);
    max_ = std::max(max_, took);
  }

  /// Adds the durations of another histogram.
  void merge(const StageHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }
  /// min(), max(), sum() and percentile() return 0 for an empty histogram.
  Time min() const { return count_ == 0 ? 0 : min_; }
  Time max() const { return max_; }
  Time sum() const { return sum_; }
  /// Percentile by nearest rank: at least `per_mille` thousandths of the durations do not exceed the result.
  /// Returns the middle of a bucket, limited to the range from min() to max().
  Time percentile(std::uint64_t per_mille) const {
    const std::uint64_t rank = std::max<std::uint64_t>(1, (count_ * per_mille + 999) / 1000);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += buckets_[i];
      if (seen >= rank) return std::clamp((lower(i) + lower(i + 1)) / 2, min(), max_);
    }
    return max_;
  }

  std::uint64_t bucket(std::size_t i) const { return buckets_[i]; }
  /// Smallest duration in bucket `i`; for `i` = kBuckets, the end of the last bucket.
  static constexpr Time lower(std::size_t i) {
    if (i == 0) return 0;
    const std::size_t octave = (i - 1) / kPerOctave;
    const Time width32 = kNanosecond << octave;  // width of the whole octave (32 buckets)
    return width32 + ((width32 * ((i - 1) % kPerOctave) + kPerOctave - 1) / kPerOctave);
  }
  static constexpr std::size_t bucket_of(Time took) {
    if (took < kNanosecond) return 0;
    const auto octave = static_cast<std::size_t>(std::bit_width(took / kNanosecond)) - 1;
    if (octave >= kOctaves) return kBuckets - 1;
    const Time within = took - (kNanosecond << octave);
    // `within` is below 2^50, so the product fits in 64 bits.
    return 1 + octave * kPerOctave + static_cast<std::size_t>(within * kPerOctave / (kNanosecond << octave));
  }

 private:
  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  Time sum_ = 0;
  Time min_ = kNever;
  Time max_ = 0;
};

}  // namespace softfeb::latency
