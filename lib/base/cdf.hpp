// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace softfeb {

/// A cumulative distribution of message lengths, given as points with linear interpolation between them.
/// Distributions of data center traffic are usually published in this form. at() inverts the distribution for
/// sampling. Immutable, so threads may share it.
class Cdf {
 public:
  struct Point {
    std::uint64_t bytes;
    double probability;  ///< probability, 0…1, that a message has at most this length

    bool operator==(const Point&) const = default;
  };

  /// Largest message length: the maximum for a work request (IBA, section 9.4.3).
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 31;

  /// Neither coordinate may decrease from one point to the next, and the last probability must be 1. If two
  /// points have the same length, the probability of this length is the difference between their
  /// probabilities. If the first point has a probability above 0, its length occurs with this probability.
  /// Throws std::invalid_argument with the text of mistake().
  explicit Cdf(std::vector<Point> points) : points_(std::move(points)) {
    if (points_.empty()) throw std::invalid_argument("no points");
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::string wrong = mistake(i == 0 ? Point{0, 0} : points_[i - 1], points_[i]);
      if (!wrong.empty()) throw std::invalid_argument("point " + std::to_string(i + 1) + ": " + wrong);
    }
    if (points_.back().probability != 1) throw std::invalid_argument("the last probability is not 1");
  }

  /// Returns an error message if `point` must not follow `previous`; otherwise an empty string.
  static std::string mistake(const Point& previous, const Point& point) {
    if (!(point.probability >= 0 && point.probability <= 1)) return "the probability is not within 0…1";
    if (point.bytes > kMaxBytes) return "the length exceeds 2 GiB";
    if (point.bytes < previous.bytes) return "the length is below the previous one";
    if (point.probability < previous.probability) return "the probability is below the previous one";
    return {};
  }

  const std::vector<Point>& points() const { return points_; }

  /// Length in bytes at cumulative probability `u` (0…1), rounded to the nearest integer (ties to even), but
  /// at least 1.
  std::uint64_t at(double u) const {
    const auto end = std::lower_bound(points_.begin(), points_.end(), u,
                                      [](const Point& p, double value) { return p.probability < value; });
    if (end == points_.end()) return std::max<std::uint64_t>(1, points_.back().bytes);
    if (end == points_.begin()) return std::max<std::uint64_t>(1, end->bytes);
    const Point &a = end[-1], &b = *end;
    const double x0 = static_cast<double>(a.bytes), x1 = static_cast<double>(b.bytes);
    const double length = x0 + (x1 - x0) * (u - a.probability) / (b.probability - a.probability);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::nearbyint(length)));
  }
  std::uint64_t sample(Rng& rng) const { return at(static_cast<double>(rng.next() >> 11) * 0x1p-53); }

  /// Mean length in bytes.
  double mean() const {
    double sum = points_[0].probability * static_cast<double>(points_[0].bytes);
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const Point &a = points_[i - 1], &b = points_[i];
      sum += (b.probability - a.probability) * static_cast<double>(a.bytes + b.bytes) / 2;
    }
    return sum;
  }

 private:
  std::vector<Point> points_;
};

}  // namespace softfeb
