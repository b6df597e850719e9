// SPDX-License-Identifier: BSD-3-Clause
// The steady sawtooth for CNPs at equal intervals.
#include "dcqcn/alpha_engine.hpp"
#include "lab/sawtooth.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::lab {

namespace {

using dcqcn::FirmwareParameters;

constexpr unsigned kMostIncreases = 1'000'000;

Time clocks(std::uint64_t n) { return n * kFirmwareClock; }

/// Returns the mean alpha at the cuts. Alpha rises with each CNP and decays until the next one. A cut uses
/// the value that alpha had before the same CNP raised it. Alpha is computed in steps of 1/1024 with
/// rounding, which stops the decay early.
double steady_alpha(const FirmwareParameters& p, Time period) {
  constexpr unsigned kSettle = 2000, kCount = 1000;
  const Time interval = clocks(std::uint64_t{p.alpha_upd_interval} + 2);
  std::uint16_t alpha = dcqcn::kAlphaOne;
  std::uint64_t sum = 0;
  Time left = 0;
  for (unsigned i = 0; i < kSettle + kCount; ++i) {
    if (i >= kSettle) sum += alpha;
    left += period;
    const std::uint64_t updates = left / interval;
    left %= interval;
    for (std::uint64_t k = 0; k < updates; ++k) {
      const std::uint16_t next = dcqcn::next_alpha(alpha, p.alpha_g, k == 0);
      if (k != 0 && next == alpha) break;
      alpha = next;
    }
  }
  return static_cast<double>(sum) / kCount / 1024;
}

struct DoubleRates {
  double rc = 0, rt = 0;
};

/// Returns the rates after the increase with number `stage`; the first increase after a CNP has number 0. The
/// increases are fast recovery up to the threshold, one additive increase, then hyper increases.
DoubleRates increased(DoubleRates r, unsigned stage, const RateOrigin& o) {
  const unsigned threshold = o.parameters.time_stage_threshold == 0 ? 256 : o.parameters.time_stage_threshold;
  if (stage + 1 >= threshold) r.rt += stage + 1 == threshold ? o.parameters.rai : o.parameters.rhai;
  r.rt = std::min(r.rt, static_cast<double>(o.build.line_rate));
  return {(r.rc + r.rt) / 2, r.rt};
}

/// Returns the rates after a cut of Rc at `peak`. A CNP resets the stage to 0 before it cuts Rc, so Rt
/// changes only if Rt is clamped.
DoubleRates cut(const DoubleRates& peak, double depth, const RateOrigin& o) {
  return {std::max(peak.rc * (1 - depth), static_cast<double>(o.parameters.rmin)),
          o.parameters.clamp_tgt_rate ? peak.rc : peak.rt};
}

DoubleRates at_next_peak(DoubleRates r, double depth, unsigned increases, const RateOrigin& o) {
  r = cut(r, depth, o);
  for (unsigned stage = 0; stage < increases; ++stage) r = increased(r, stage, o);
  return r;
}

/// Computes the peak at which the sawtooth is steady. Without limits, each peak is k · previous peak + b.
/// Because k is close to 1, an iteration from peak to peak would converge slowly. The fixed point is
/// therefore computed directly, and only the effect of the limits is iterated.
DoubleRates steady_peak(double depth, unsigned increases, const RateOrigin& o) {
  const auto line = static_cast<double>(o.build.line_rate);
  DoubleRates peak{line, line};
  if (o.parameters.clamp_tgt_rate && depth > 0) {
    RateOrigin free = o;
    free.parameters.rmin = 0;
    const double b = at_next_peak({0, 0}, depth, increases, free).rc;
    const double shrinks = depth * std::pow(0.5, std::min(increases, 1000U));
    if (b < line * shrinks) peak.rc = b / shrinks;
  }
  for (int i = 0; i < 1000; ++i) peak = at_next_peak(peak, depth, increases, o);
  return peak;
}

std::optional<Time> recovery(const DoubleRates& peak, double depth, const RateOrigin& o) {
  DoubleRates r = cut(peak, depth, o);
  const Time interval = clocks(std::uint64_t{o.parameters.rate_inc_interval} + 3);
  for (unsigned n = 0; n < kMostIncreases; ++n) {
    if (r.rc >= 0.99 * peak.rc) return n * interval;
    const DoubleRates next = increased(r, n, o);
    if (next.rc <= r.rc && next.rt <= r.rt) break;
    r = next;
  }
  return std::nullopt;
}

}  // namespace

SteadySawtooth predict_steady(const RateOrigin& origin, Time period) {
  RateOrigin o = origin;
  o.parameters = origin.parameters.cut_to_width();
  const FirmwareParameters& p = o.parameters;
  SteadySawtooth out;
  out.alpha = steady_alpha(p, period);
  const double depth = out.alpha / static_cast<double>(1U << p.dec_gain);
  const Time interval = clocks(std::uint64_t{p.rate_inc_interval} + 3);
  out.increases = static_cast<unsigned>(std::min<Time>(period / interval, kMostIncreases));
  const DoubleRates peak = steady_peak(depth, std::min(out.increases, 4096U), o);
  DoubleRates r = cut(peak, depth, o);
  out.peak = peak.rc;
  out.trough = r.rc;
  out.depth = peak.rc == 0 ? 0 : 1 - r.rc / peak.rc;
  out.recovery = recovery(peak, depth, o);
  double sum = 0;
  for (unsigned n = 0; n < out.increases; ++n, r = increased(r, n - 1, o)) sum += r.rc * to_seconds(interval);
  sum += r.rc * to_seconds(period - out.increases * interval);
  out.mean = sum / to_seconds(period);
  return out;
}

}  // namespace softfeb::lab
