// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"
#include "dcqcn/paper_parameters.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::dcqcn {

/// The reaction point of the DCQCN paper (Zhu et al. 2015, section 3.1 and figure 7), with a timer and a byte
/// counter:
/// - CNP: Rt = Rc, Rc = Rc · (1 - alpha / 2), alpha = (1 - g) · alpha + g; timer, byte counter and stages
///   restart.
/// - No CNP for K: alpha = (1 - g) · alpha.
/// - Timer or byte counter expires: its stage, T or B, is incremented; then
///   - max(T, B) < F: fast recovery, Rc = (Rt + Rc) / 2
///   - min(T, B) > F: hyper increase, Rt += R_HAI, Rc as above
///   - otherwise: additive increase, Rt += R_AI, Rc as above
///
/// All arithmetic uses integers: alpha has 40 fractional bits, its decay is truncated, and increases round Rc
/// up so that it reaches Rt. No timer runs before the first CNP. Events due at the same time are processed in
/// this order: alpha, timer, postponed cut, then a CNP or a sent frame.
///
/// The reaction point advances lazily, so calls must be in time order. The object can be copied.
class PaperReactionPoint {
 public:
  static constexpr std::uint64_t kAlphaOne = std::uint64_t{1} << 40;

  explicit PaperReactionPoint(const PaperParameters& parameters);

  void advance_time(Time now);
  void cnp(Time now);
  void sent(std::uint32_t bytes, Time now);
  /// Equivalent to sent(), but may be called only if the reaction point is active and no event is due before
  /// the frame leaves. Returns true if Rc has changed.
  bool count(std::uint32_t bytes) {
    if (byte_counter_ == 0) return false;
    bytes_ += bytes;
    return bytes_ >= byte_counter_ && expire_byte_counter();
  }
  /// Sets new parameters, which take effect at `now`. Running timers keep their expiry times, unless the new
  /// interval is 0, which stops the timer.
  void set_parameters(const PaperParameters& parameters, Time now);

  const PaperParameters& parameters() const { return parameters_; }
  std::uint64_t rc() const { return rates_.rc; }
  std::uint64_t rt() const { return rates_.rt; }
  std::uint64_t alpha() const { return alpha_; }
  std::uint32_t time_stage() const { return time_stage_; }
  std::uint32_t byte_stage() const { return byte_stage_; }
  std::uint64_t cnps() const { return cnps_; }

  /// Same interface as ReactionPoint, for the token bucket. A change between two edges takes effect at the
  /// later edge.
  void advance(Edge n);
  bool advance_to_rate_change(Edge limit);
  Edge now() const { return edge_from(now_); }
  Edge quiet_until() const {
    const Time next = next_event();
    return next == kNever ? kNoEdge : edge_until(next - 1);
  }
  bool at_rest() const { return !active_; }
  /// True after the first CNP.
  bool active() const { return active_; }
  /// Time of the next change of alpha or of a rate if no CNP arrives and no frame is sent; kNever if there is
  /// none.
  Time next_event() const { return std::min({timer_at_, alpha_at_, cut_at_}); }

 private:
  /// Processes the event due at `t`. If the effect of the following periods has a closed form, also skips
  /// those up to `last` in one step. Periods that change the rate are skipped only if `ramps` is true.
  void handle(Time t, Time last, bool ramps);
  bool expire_byte_counter();
  void update_alpha(bool grow);
  void increase();
  Rates increased(std::uint32_t time_stage) const;
  void leap_timer(Time last, bool ramps);
  void leap_alpha(Time last);
  void cut(Time now);

  // A sent frame uses these two members between two events (see PaperDcqcn).
  std::uint64_t bytes_ = 0;     ///< counted since the byte counter last expired
  std::uint64_t byte_counter_;  ///< parameters_.byte_counter
  Time now_ = 0;
  Time timer_at_ = kNever;
  Time alpha_at_ = kNever;
  Time cut_at_ = kNever;
  Rates rates_;
  std::uint64_t cnps_ = 0;
  Time last_cut_ = 0;
  std::uint64_t alpha_;
  std::uint32_t time_stage_ = 0;
  std::uint32_t byte_stage_ = 0;
  bool active_ = false;
  bool cnp_in_period_ = false;
  PaperParameters parameters_;
};

}  // namespace softfeb::dcqcn
