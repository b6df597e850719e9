// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace softfeb {

/// Histogram of fractions (shares of a whole) from 0 to 1, with a resolution of 0.001 and a fixed size.
class ShareHistogram {
 public:
  /// Adds `times` values equal to `share`, which is limited to 0…1 and rounded to the resolution.
  void add(double share, std::uint64_t times = 1) {
    const double parts = std::clamp(share, 0.0, 1.0) * kParts;
    counts_[static_cast<std::size_t>(std::lround(parts))] += times;
    count_ += times;
  }

  std::uint64_t count() const { return count_; }
  /// Nearest-rank quantile for `q` in 0…1: `q` = 0 gives the minimum, `q` = 1 the maximum. Requires
  /// count() != 0.
  double quantile(double q) const {
    const double rank = std::ceil(q * static_cast<double>(count_));
    std::uint64_t left = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
    std::size_t i = 0;
    for (; i < kParts && counts_[i] < left; ++i) left -= counts_[i];
    return static_cast<double>(i) / kParts;
  }

 private:
  static constexpr std::size_t kParts = 1000;

  std::array<std::uint64_t, kParts + 1> counts_{};
  std::uint64_t count_ = 0;
};

}  // namespace softfeb
