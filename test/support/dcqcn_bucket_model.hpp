// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace softfeb::test {

/// A model of the firmware's token bucket that simulates every clock cycle.
class DcqcnBucketModel {
 public:
  explicit DcqcnBucketModel(std::uint64_t line_rate, std::uint64_t size = 1U << 20) : cap_(size << 16) {
    rc_[0] = rc_[1] = rc_[2] = line_rate;
  }

  /// Returns the bytes (Q16.16) that the next clock edge will add. credit() returns the credit (Q32.16)
  /// before that edge.
  std::uint64_t byte_per_clock() const { return (rc_[0] * 1801440) >> 32; }
  std::uint64_t credit() const { return credit_; }
  bool may_admit(std::uint64_t bytes) const { return credit_ >= bytes << 16; }

  /// Simulates a clock edge that admits a frame of `bytes` bytes, or no frame if `bytes` is 0. `rc` is the
  /// rate that the reaction point outputs after the edge.
  void clock(std::uint64_t bytes, std::uint64_t rc) {
    const std::uint64_t more = byte_per_clock();
    credit_ = (cap_ - credit_ > more ? credit_ + more : cap_) - (bytes << 16);
    rc_[0] = rc_[1];
    rc_[1] = rc_[2];
    rc_[2] = rc;
  }

 private:
  std::uint64_t cap_;
  std::uint64_t credit_ = 0;
  std::uint64_t rc_[3];
};

}  // namespace softfeb::test
