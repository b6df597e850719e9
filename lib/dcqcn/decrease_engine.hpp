// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// The firmware's rate decrease engine. After the first CNP, it runs continuously and makes at most one cut
/// every RateDecInterval + 3 clocks. The first CNP determines the phase of these periods. The timer reads 0
/// after edge `zero` and expires at edge `expiry`. If a CNP is pending, the first edge after `expiry`
/// multiplies, the second subtracts, and the third commits.
class DecreaseEngine {
 public:
  void start(Edge zero, std::uint16_t interval);
  /// Sets a new interval, visible after edge m.
  void set_interval(std::uint16_t interval, Edge m);

  /// The first edge at which the engine reads or writes the rates if no more CNPs arrive. `flag` is true if a
  /// CNP is pending.
  Edge next(bool flag) const;
  bool commits(Edge n) const { return pending_ && n == zero_ + 1; }
  Rates commit() {
    pending_ = false;
    return result_;
  }
  /// Processes edge n, but not a commit at that edge. All other arguments are the values before the edge.
  void act(Edge n, const Rates& rates, std::uint16_t alpha, std::uint8_t time_stage, bool flag,
           const FirmwareParameters& p, const FirmwareBuild& build);
  /// Processes all edges up to `last`, none of which may access the rates.
  void run(Edge last, std::uint16_t interval);

 private:
  enum class Phase : std::uint8_t { kCounting, kMultiply, kSubtract };

  Edge zero_ = 0;
  Edge expiry_ = kNoEdge;
  Rates result_;  ///< until the subtraction, `rc` contains Rc · alpha
  Phase phase_ = Phase::kCounting;
  bool cutting_ = false;
  bool pending_ = false;
};

}  // namespace softfeb::dcqcn
