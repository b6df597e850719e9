// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"
#include "dcqcn/paper_parameters.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::dcqcn {

/// The reaction point of the DCQCN paper (Zhu et al. 2015, section 3.1 and figure 7), with timer and byte
/// counter:
///   a CNP:      Rt = Rc, Rc = Rc · (1 - alpha / 2), alpha = (1 - g) · alpha + g; timer, counter and stages
///   restart no CNP for K: alpha = (1 - g) · alpha timer or byte counter runs out: its stage T or B grows by
///   one, then
///     max(T, B) < F fast recovery: Rc = (Rt + Rc) / 2
///     min(T, B) > F hyper increase: Rt += R_HAI, Rc as above
///     else additive increase: Rt += R_AI, Rc as above
/// Integers throughout: alpha with 40 binary places, decay truncated, Rc rounded up in increases (so that it
/// reaches Rt). Before the first CNP nothing runs. Due at the same moment: alpha, then the timer, then a
/// postponed cut; a CNP or a frame that was sent comes last. Advanced lazily; calls in the order of their
/// times. Copyable.
class PaperReactionPoint {
 public:
  static constexpr std::uint64_t kAlphaOne = std::uint64_t{1} << 40;

  explicit PaperReactionPoint(const PaperParameters& parameters);

  void advance_time(Time now);
  void cnp(Time now);
  void sent(std::uint32_t bytes, Time now);
  /// New values act from now on; timers that run keep their ends.
  void set_parameters(const PaperParameters& parameters, Time now);

  const PaperParameters& parameters() const { return parameters_; }
  std::uint64_t rc() const { return rates_.rc; }
  std::uint64_t rt() const { return rates_.rt; }
  std::uint64_t alpha() const { return alpha_; }
  std::uint32_t time_stage() const { return time_stage_; }
  std::uint32_t byte_stage() const { return byte_stage_; }
  std::uint64_t cnps() const { return cnps_; }

  /// As those of ReactionPoint, for the token bucket: a change between two edges counts at the second.
  void advance(Edge n);
  bool advance_to_rate_change(Edge limit);
  Edge now() const { return edge_from(now_); }
  Edge quiet_until() const {
    const Time next = next_event();
    return next == kNever ? kNoEdge : edge_until(next - 1);
  }
  bool at_rest() const { return !active_; }

 private:
  Time next_event() const { return std::min({timer_at_, alpha_at_, cut_at_}); }
  /// The event due at t; stretches up to `last` that are plain arithmetic are crossed at once, with `ramps`
  /// also those on which the rate moves.
  void handle(Time t, Time last, bool ramps);
  void update_alpha(bool grow);
  void increase();
  Rates increased(std::uint32_t time_stage) const;
  void leap_timer(Time last, bool ramps);
  void leap_alpha(Time last);
  void cut(Time now);

  Time now_ = 0;
  Time timer_at_ = kNever;
  Time alpha_at_ = kNever;
  Time cut_at_ = kNever;
  Rates rates_;
  PaperParameters parameters_;
  std::uint64_t bytes_ = 0;
  std::uint64_t cnps_ = 0;
  Time last_cut_ = 0;
  std::uint64_t alpha_;
  std::uint32_t time_stage_ = 0;
  std::uint32_t byte_stage_ = 0;
  bool active_ = false;
  bool cnp_in_period_ = false;
};

}  // namespace softfeb::dcqcn
