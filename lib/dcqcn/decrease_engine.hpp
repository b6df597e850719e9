// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// The firmware's rate decrease engine: free-running from the first CNP on, at most one cut every
/// RateDecInterval + 3 clocks on a grid that the first CNP fixes. Timer 0 after edge `zero`; it has run out
/// at the edge `expiry`; the next edge multiplies (if a CNP is pending), the one after subtracts, the third
/// commits.
class DecreaseEngine {
 public:
  void start(Edge zero, std::uint16_t interval);
  /// A new interval, visible after edge m.
  void set_interval(std::uint16_t interval, Edge m);

  /// The first edge at which this engine reads or writes the rates, if no more CNPs come; `flag`: one is
  /// pending.
  Edge next(bool flag) const;
  bool commits(Edge n) const { return pending_ && n == zero_ + 1; }
  Rates commit() {
    pending_ = false;
    return result_;
  }
  /// What happens at edge n besides a commit, with everything as it was before it.
  void act(Edge n, const Rates& rates, std::uint16_t alpha, std::uint8_t time_stage, bool flag,
           const FirmwareParameters& p, const FirmwareBuild& build);
  /// All edges up to `last`, at none of which it touches the rates.
  void run(Edge last, std::uint16_t interval);

 private:
  enum class Phase : std::uint8_t { kCounting, kMultiply, kSubtract };

  Edge zero_ = 0;
  Edge expiry_ = kNoEdge;
  Rates result_;  ///< before the subtraction `rc` is the product to be subtracted
  Phase phase_ = Phase::kCounting;
  bool cutting_ = false;
  bool pending_ = false;
};

}  // namespace softfeb::dcqcn
