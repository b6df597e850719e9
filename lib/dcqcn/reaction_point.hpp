// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/alpha_engine.hpp"
#include "dcqcn/decrease_engine.hpp"
#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"
#include "dcqcn/increase_engine.hpp"

#include <array>
#include <cstdint>

namespace softfeb::dcqcn {

/// The firmware's DCQCN reaction point, exact to the clock (doc/dcqcn.md; reference: GHDL simulations of
/// slaclab/surf's RoCEv2Dcqcn, test/vectors/dcqcn).
///
/// Advanced lazily: the cost of advance() grows with the events that change state, not with the clocks that
/// passed. Calls come in the order of their edges; one that comes too late counts as coming now. Copyable, so
/// that the future (if no more CNPs come) can be looked at without changing the present. Edge 0 is the first
/// one after reset.
class ReactionPoint {
 public:
  explicit ReactionPoint(const FirmwareParameters& parameters = {}, const FirmwareBuild& build = {});

  /// Everything up to and including edge n.
  void advance(Edge n) {
    // The decrease engine's empty periods are caught up with when somebody looks at them.
    if (n > quiet_until_) {
      walk(n);
    } else if (n > now_) {
      now_ = n;
    }
  }
  /// Up to and including the first edge after which Rc is another, but no further than `limit`. True when it
  /// came to such an edge; it is now() then.
  bool advance_to_rate_change(Edge limit);
  /// The last edge that is done: what the accessors tell is visible after it.
  Edge now() const { return now_; }

  /// The CNP input is high when sampled at edge k. The input is a level: a CNP at the same or the next clock
  /// as the one before is the same CNP.
  void cnp(Edge k);
  /// New registers, visible after edge m: they act from edge m + 1 on.
  void set_parameters(const FirmwareParameters& parameters, Edge m);
  /// CnpCntRst, visible after edge m: going from 0 to 1 clears the counter, and only that does.
  void set_cnp_counter_reset(bool bit, Edge m);

  const FirmwareParameters& parameters() const { return parameters_; }
  const FirmwareBuild& build() const { return build_; }
  std::uint64_t rc() const { return rates_.rc; }
  std::uint64_t rt() const { return rates_.rt; }
  std::uint16_t alpha() const { return alpha_; }
  std::uint8_t time_stage() const { return increase_.time_stage(); }
  std::uint16_t cnp_counter() const { return cnp_counter_; }
  bool cnp_counter_reset() const { return cnp_counter_reset_; }
  /// Nothing that the accessors tell changes up to and including this edge if nothing comes.
  Edge quiet_until() const { return quiet_until_; }
  /// The rates stay as they are until something comes.
  bool at_rest() const { return !started_ && !strobes_[0].is_set() && !force_.is_set(); }

 private:
  void walk(Edge n);
  /// Whatever was done may have changed what comes next.
  void look_ahead();
  Edge next_joint_edge() const;
  void run_apart(Edge last);
  void joint_edge(Edge n);
  void handle_strobe(Edge n);

  Edge now_ = 0;
  Edge quiet_until_ = 0;
  Rates rates_;
  FirmwareParameters parameters_;
  FirmwareBuild build_;
  Edge last_cnp_ = kNoEdge;
  IncreaseEngine increase_;
  DecreaseEngine decrease_;
  AlphaEngine alpha_engine_;
  std::uint16_t alpha_ = kAlphaOne;
  std::uint16_t cnp_counter_ = 0;
  // What is on its way, a few clocks ahead of now_.
  std::array<NearEdge, 2> strobes_;  ///< edges at which the overseer will see CNPs
  NearEdge after_strobe_;            ///< the counter counts, the timer is reset
  NearEdge clear_;                   ///< the counter is cleared
  NearEdge force_;                   ///< the bypass takes hold
  bool cnp_counter_reset_ = false;
  bool decrease_flag_ = false;
  bool alpha_flag_ = false;
  bool reset_pulse_ = false;
  bool started_ = false;
};

}  // namespace softfeb::dcqcn
