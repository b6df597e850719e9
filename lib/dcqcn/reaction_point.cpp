// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/reaction_point.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

namespace {

// Clocks from the edge that samples the CNP input to the edge at which the overseer (the state machine that
// passes CNPs to the engines) acts. The delay is caused by two synchroniser stages and the edge detector.
constexpr Edge kStrobeDelay = 3;
// Clocks from the edge after which CnpCntRst is visible to the edge at which the counter becomes 0.
constexpr Edge kClearDelay = 3;

}  // namespace

ReactionPoint::ReactionPoint(const FirmwareParameters& parameters, const FirmwareBuild& build)
    : rates_{build.line_rate, build.line_rate}, parameters_(parameters.cut_to_width()), build_(build) {
  look_ahead();
}

Edge ReactionPoint::next_joint_edge() const {
  return std::min({strobes_[0].from(now_), after_strobe_.from(now_), clear_.from(now_), force_.from(now_),
                   decrease_.next(decrease_flag_)});
}

// At a joint edge, a CNP, a counter reset or the bypass takes effect, or the decrease engine accesses the
// rates. Between joint edges, the three engines are independent, because only increases change the rates.
// Each engine can therefore use its own shortcuts.
void ReactionPoint::run_apart(Edge last) {
  alpha_engine_.run(last, alpha_, alpha_flag_, parameters_.alpha_g, parameters_.alpha_upd_interval);
  decrease_.run(last, parameters_.rate_dec_interval);
  now_ = last;
}

void ReactionPoint::look_ahead() {
  quiet_until_ = std::min({next_joint_edge(), increase_.next(), alpha_engine_.next()}) - 1;
}

void ReactionPoint::walk(Edge n) {
  while (now_ < n) {
    const Edge joint = next_joint_edge();
    const Edge last = std::min(joint - 1, n);
    increase_.run(last, rates_, false, parameters_, build_);
    run_apart(last);
    if (joint <= n) joint_edge(joint);
  }
  look_ahead();
}

bool ReactionPoint::advance_to_rate_change(Edge limit) {
  if (limit <= quiet_until_) {
    advance(limit);
    return false;
  }
  const std::uint64_t rc = rates_.rc;
  while (now_ < limit && rates_.rc == rc) {
    const Edge joint = next_joint_edge();
    const Edge last = std::min(joint - 1, limit);
    run_apart(increase_.run(last, rates_, true, parameters_, build_));
    if (rates_.rc == rc && joint <= limit) joint_edge(joint);
  }
  look_ahead();
  return rates_.rc != rc;
}

// Processes one edge for all engines. Each engine reads the values before the edge.
void ReactionPoint::joint_edge(Edge n) {
  const Rates rates = rates_;
  const std::uint16_t alpha = alpha_;
  const bool decrease_flag = decrease_flag_, alpha_flag = alpha_flag_;
  const std::uint8_t time_stage = increase_.time_stage();
  now_ = n;

  bool reset = false;
  if (n == after_strobe_.from(n)) {
    ++cnp_counter_;
    reset = reset_pulse_;
    after_strobe_.clear();
  }
  if (n == clear_.from(n)) {
    cnp_counter_ = 0;
    clear_.clear();
  }
  if (n == strobes_[0].from(n)) handle_strobe(n);

  // If several commits fall on this edge, the last one in this order wins. A commit also overrides flags
  // that a CNP sets at this edge.
  if (increase_.commits(n)) rates_ = increase_.commit();
  if (decrease_.commits(n)) {
    rates_ = decrease_.commit();
    decrease_flag_ = false;
  }
  if (alpha_engine_.commits(n)) {
    alpha_ = alpha_engine_.commit();
    alpha_flag_ = false;
  }
  if (parameters_.dcqcn_bypass) rates_ = {build_.line_rate, build_.line_rate};
  if (n == force_.from(n)) force_.clear();

  increase_.act(n, rates, reset, parameters_, build_);
  decrease_.act(n, rates, alpha, time_stage, decrease_flag, parameters_, build_);
  alpha_engine_.act(n, alpha, alpha_flag, parameters_.alpha_g, parameters_.alpha_upd_interval);
}

void ReactionPoint::handle_strobe(Edge n) {
  strobes_[0] = strobes_[1];
  strobes_[1].clear();
  after_strobe_.set(n + 1);
  reset_pulse_ = !parameters_.dcqcn_bypass;
  if (parameters_.dcqcn_bypass) return;
  decrease_flag_ = true;
  if (started_) {
    alpha_flag_ = true;
    return;
  }
  // The first CNP starts the engines. It causes a cut, but the first update of alpha ignores it.
  started_ = true;
  alpha_ = kAlphaOne;
  increase_.start(n + 1, parameters_.rate_inc_interval);
  decrease_.start(n + 1, parameters_.rate_dec_interval);
  alpha_engine_.start(n + 1, parameters_.alpha_upd_interval);
}

void ReactionPoint::cnp(Edge k) {
  k = std::max(k, now_);
  advance(k);
  const bool same_level = last_cnp_ != kNoEdge && k <= last_cnp_ + 1;
  last_cnp_ = k;
  if (same_level) return;
  strobes_[strobes_[0].is_set() ? 1 : 0].set(k + kStrobeDelay);
  look_ahead();
}

void ReactionPoint::set_parameters(const FirmwareParameters& parameters, Edge m) {
  m = std::max(m, now_);
  advance(m);
  run_apart(now_);
  const FirmwareParameters old = parameters_;
  parameters_ = parameters.cut_to_width();
  if (started_) {
    if (old.rate_inc_interval != parameters.rate_inc_interval)
      increase_.set_interval(parameters.rate_inc_interval, m);
    if (old.rate_dec_interval != parameters.rate_dec_interval)
      decrease_.set_interval(parameters.rate_dec_interval, m);
    if (old.alpha_upd_interval != parameters.alpha_upd_interval)
      alpha_engine_.set_interval(parameters.alpha_upd_interval, m);
  }
  if (old.dcqcn_bypass != parameters.dcqcn_bypass) {
    force_.clear();
    if (parameters.dcqcn_bypass) force_.set(m + 1);
  }
  look_ahead();
}

void ReactionPoint::set_cnp_counter_reset(bool bit, Edge m) {
  m = std::max(m, now_);
  advance(m);
  if (bit && !cnp_counter_reset_) clear_.set(m + kClearDelay);
  cnp_counter_reset_ = bit;
  look_ahead();
}

}  // namespace softfeb::dcqcn
