// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// The firmware's rate increase engine: free-running from the first CNP on, an increase every RateIncInterval
/// + 3 clocks; a CNP sets timer and time stage to 0. Timer 0 after edge `zero`; at the edge `expiry` it has
/// run out and the stage says which increase it will be; the next edge computes, the one after commits. No
/// byte counter.
class IncreaseEngine {
 public:
  enum class Kind : std::uint8_t { kFastRecovery, kAdditive, kHyper };

  void start(Edge zero, std::uint32_t interval);
  /// A new interval, visible after edge m.
  void set_interval(std::uint32_t interval, Edge m);

  std::uint8_t time_stage() const { return stage_; }
  /// The first edge at which this engine does anything.
  Edge next() const { return pending_ ? zero_ + 1 : firing_ ? expiry_ + 1 : expiry_; }
  bool commits(Edge n) const { return pending_ && n == zero_ + 1; }
  Rates commit() {
    pending_ = false;
    return result_;
  }
  /// What happens at edge n besides a commit, with the rates as they were before it. `reset`: a CNP asks for
  /// timer and stage 0 at this edge; lost where the timer has run out.
  void act(Edge n, const Rates& rates, bool reset, const FirmwareParameters& p, const FirmwareBuild& build);

  /// All edges up to `last`, nothing else writing the rates. With `stop_at_change` only up to the first edge
  /// after which Rc is another. Returns the edge it came to.
  Edge run(Edge last, Rates& rates, bool stop_at_change, const FirmwareParameters& p,
           const FirmwareBuild& build);

 private:
  Kind kind(std::uint8_t threshold) const;
  /// One whole period's effect on the rates and the stage.
  void step(Rates& rates, const FirmwareParameters& p, const FirmwareBuild& build);
  /// Up to n periods at once where that is plain arithmetic; returns how many it did. Without `ramps` only
  /// those that leave the rates alone.
  std::uint64_t leap(std::uint64_t n, Rates& rates, bool ramps, const FirmwareParameters& p,
                     const FirmwareBuild& build);
  std::uint64_t leap_ramp(std::uint64_t n, Rates& rates, const FirmwareParameters& p,
                          const FirmwareBuild& build);
  void pass(std::uint64_t periods, std::uint32_t interval);

  Edge zero_ = 0;
  Edge expiry_ = kNoEdge;
  Rates result_;
  std::uint8_t stage_ = 0;
  Kind kind_ = Kind::kFastRecovery;
  bool firing_ = false;
  bool pending_ = false;
};

}  // namespace softfeb::dcqcn
