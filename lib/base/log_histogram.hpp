// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace softfeb {

/// Histogram with log-linear buckets, as in HdrHistogram. Each value below 128 has a bucket of its own. From
/// 128 upwards, each range from one power of two to the next is divided into 64 buckets, so that a percentile
/// is within 0.8 % of the exact value. Count, mean, smallest and largest value are exact if no value exceeds
/// kLargest. A histogram always occupies 18 KB and never allocates memory. Histograms can be merged.
class LogHistogram {
 public:
  /// Values above this one are counted as if they were equal to it.
  static constexpr std::uint64_t kLargest = (std::uint64_t{1} << 40) - 1;

  void add(std::uint64_t value) {
    value = std::min(value, kLargest);
    ++buckets_[bucket_of(value)];
    ++count_;
    sum_ += value;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }

  LogHistogram& operator+=(const LogHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    least_ = std::min(least_, other.least_);
    most_ = std::max(most_, other.most_);
    return *this;
  }

  std::uint64_t count() const { return count_; }
  /// The following functions return 0 for an empty histogram.
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  std::uint64_t min() const { return count_ == 0 ? 0 : least_; }
  std::uint64_t max() const { return most_; }

  /// Percentile by nearest rank: at least the fraction `share` (0…1) of the values do not exceed the result.
  /// Returns the middle of a bucket, limited to the range from min() to max().
  double percentile(double share) const {
    const double wanted = share * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += buckets_[i];
      if (buckets_[i] == 0 || static_cast<double>(seen) < wanted) continue;
      return std::clamp(middle_of(i), static_cast<double>(least_), static_cast<double>(most_));
    }
    return static_cast<double>(most_);
  }

  /// Calls `visit(smallest value, count)` for each bucket that is not empty, in ascending order.
  template <typename Visit>
  void for_each_bucket(Visit&& visit) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (buckets_[i] != 0) visit(first_of(i), buckets_[i]);
    }
  }

  bool operator==(const LogHistogram&) const = default;

 private:
  static constexpr unsigned kBits = 6;  ///< 2^kBits buckets for each power of two
  static constexpr std::uint64_t kExact = std::uint64_t{2} << kBits;
  static constexpr std::size_t kBuckets = (40 - kBits + 1) << kBits;

  static constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < kExact) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
    return (std::size_t{shift} << kBits) + (value >> shift);
  }
  static constexpr std::size_t shift_of(std::size_t bucket) {
    return bucket < kExact ? 0 : (bucket >> kBits) - 1;
  }
  static constexpr std::uint64_t first_of(std::size_t bucket) {
    const std::size_t shift = shift_of(bucket);
    return (bucket - (shift << kBits)) << shift;
  }
  static constexpr double middle_of(std::size_t bucket) {
    return static_cast<double>(first_of(bucket)) +
           static_cast<double>((std::uint64_t{1} << shift_of(bucket)) - 1) / 2;
  }

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t least_ = kLargest;
  std::uint64_t most_ = 0;
};

}  // namespace softfeb
