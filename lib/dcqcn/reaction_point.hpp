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

/// The firmware's DCQCN reaction point, clock-exact. See doc/dcqcn.md. The reference is a GHDL simulation of
/// slaclab/surf's RoCEv2Dcqcn (test/vectors/dcqcn).
///
/// The object advances lazily: the cost of advance() grows with the number of state changes, not with the
/// number of clocks. Calls must be in edge order; a call with an edge before now() is treated as a call at
/// now(). The object can be copied, so that a caller can look ahead (assuming that no more CNPs arrive)
/// without changing the present state. Edge 0 is the first edge after reset.
class ReactionPoint {
 public:
  explicit ReactionPoint(const FirmwareParameters& parameters = {}, const FirmwareBuild& build = {});

  /// Processes all edges up to and including n.
  void advance(Edge n) {
    // If no accessor's value can change up to edge n, only now_ is advanced. The next walk() then processes
    // the idle periods of the decrease engine.
    if (n > quiet_until_) {
      walk(n);
    } else if (n > now_) {
      now_ = n;
    }
  }
  /// Advances to the first edge after which Rc has changed, but not past `limit`. Returns true if there is
  /// such an edge; now() is then this edge.
  bool advance_to_rate_change(Edge limit);
  /// The last processed edge. The accessors return the values after this edge.
  Edge now() const { return now_; }

  /// Reports that the CNP input is high when sampled at edge k. The input is level-sensitive: a CNP at the
  /// same clock as the previous one, or at the next clock, is the same CNP.
  void cnp(Edge k);
  /// Writes the parameter registers. The values are visible after edge m and take effect at edge m + 1.
  void set_parameters(const FirmwareParameters& parameters, Edge m);
  /// Writes CnpCntRst, visible after edge m. Only a transition from 0 to 1 clears the counter.
  void set_cnp_counter_reset(bool bit, Edge m);

  const FirmwareParameters& parameters() const { return parameters_; }
  const FirmwareBuild& build() const { return build_; }
  std::uint64_t rc() const { return rates_.rc; }
  std::uint64_t rt() const { return rates_.rt; }
  std::uint16_t alpha() const { return alpha_; }
  std::uint8_t time_stage() const { return increase_.time_stage(); }
  std::uint16_t cnp_counter() const { return cnp_counter_; }
  bool cnp_counter_reset() const { return cnp_counter_reset_; }
  /// The accessors return the same values up to this edge, unless there is new input.
  Edge quiet_until() const { return quiet_until_; }
  /// True if the rates cannot change without new input.
  bool at_rest() const { return !started_ && !strobes_[0].is_set() && !force_.is_set(); }

 private:
  void walk(Edge n);
  /// Updates quiet_until_; call after any change of state.
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
  // Events in flight, a few clocks ahead of now_.
  /// Edges at which CNPs reach the overseer, which passes them to the engines.
  std::array<NearEdge, 2> strobes_;
  /// Edge at which the CNP counter is incremented and the timer is reset.
  NearEdge after_strobe_;
  NearEdge clear_;  ///< edge at which the CNP counter is cleared
  NearEdge force_;  ///< edge at which the bypass takes effect
  bool cnp_counter_reset_ = false;
  bool decrease_flag_ = false;
  bool alpha_flag_ = false;
  bool reset_pulse_ = false;
  bool started_ = false;
};

}  // namespace softfeb::dcqcn
