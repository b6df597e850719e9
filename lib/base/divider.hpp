// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb {

/// Division by a divisor known in advance. Uses one multiplication, which is several times faster than a
/// division.
class Divider {
 public:
  /// `divisor` must be at least 1.
  explicit constexpr Divider(std::uint64_t divisor = 1)
      : divisor_(divisor), exact_below_(UINT64_MAX / divisor), inverse_(exact_below_ + 1) {}

  constexpr std::uint64_t divisor() const { return divisor_; }

  /// ⌊n / divisor⌋. The inverse is 2^64 / divisor, rounded up by less than 1, so the product is too large by
  /// less than n / 2^64. While n · divisor is below 2^64, this error is less than 1 / divisor and does not
  /// change the quotient. Larger n use a division.
  constexpr std::uint64_t quotient(std::uint64_t n) const {
    if (divisor_ == 1) return n;
    if (n >= exact_below_) return n / divisor_;
    return static_cast<std::uint64_t>((Uint128{n} * inverse_) >> 64);
  }

 private:
  std::uint64_t divisor_;
  std::uint64_t exact_below_;
  std::uint64_t inverse_;
};

}  // namespace softfeb
