// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// The firmware's rate increase engine. After the first CNP, it runs continuously and makes one increase
/// every RateIncInterval + 3 clocks. A CNP resets the timer and the time stage to 0. The timer reads 0 after
/// edge `zero`. It expires at edge `expiry`, where the stage selects the kind of increase. The new rates are
/// computed at the next edge, and take effect at the edge after that. There is no byte counter.
class IncreaseEngine {
 public:
  enum class Kind : std::uint8_t { kFastRecovery, kAdditive, kHyper };

  void start(Edge zero, std::uint32_t interval);
  /// Sets a new interval, visible after edge m.
  void set_interval(std::uint32_t interval, Edge m);

  std::uint8_t time_stage() const { return stage_; }
  /// The first edge at which the engine changes state.
  Edge next() const { return pending_ ? zero_ + 1 : firing_ ? expiry_ + 1 : expiry_; }
  bool commits(Edge n) const { return pending_ && n == zero_ + 1; }
  Rates commit() {
    pending_ = false;
    return result_;
  }
  /// Processes edge n, but not a commit at that edge. `rates` are the values before the edge. `reset` is true
  /// if a CNP resets the timer and the stage at this edge; the reset is lost if the timer has expired.
  void act(Edge n, const Rates& rates, bool reset, const FirmwareParameters& p, const FirmwareBuild& build);

  /// Processes all edges up to `last`, at which nothing else may write the rates. If `stop_at_change` is
  /// true, stops at the first edge after which Rc has changed. Returns the edge reached.
  Edge run(Edge last, Rates& rates, bool stop_at_change, const FirmwareParameters& p,
           const FirmwareBuild& build);

 private:
  Kind kind(std::uint8_t threshold) const;
  /// Applies one whole period to the rates and the stage.
  void step(Rates& rates, const FirmwareParameters& p, const FirmwareBuild& build);
  /// Applies up to n periods in one step if there is a closed form. Returns the number of periods applied. If
  /// `ramps` is false, applies only periods that leave the rates unchanged.
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
