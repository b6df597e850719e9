// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace softfeb::switchtest {

namespace {

constexpr double kNotPossible = -std::numeric_limits<double>::infinity();
/// Half of the 95 % quantile of the chi-square distribution with one degree of freedom.
constexpr double kMarkingProfileDrop = 3.841458820694124 / 2;
/// Drop of the log-likelihood that limits the profile intervals of kmax. The likelihood jumps at kmax, so the
/// log-likelihood of the true value is lower than the maximum by an exponentially distributed amount with
/// mean 1. The 95 % quantile of this amount is ln 20.
constexpr double kMarkingJumpDrop = 2.995732273553991;
constexpr int kEdgeBisections = 30;

/// Finds the point between `in` and `out` at which the result of `holds` changes. Requires that `holds`
/// returns true for `in`. If `holds` also returns true for `out`, returns `out`.
double edge_between(double in, double out, const std::function<bool(double)>& holds) {
  if (holds(out)) return out;
  for (int i = 0; i < kEdgeBisections; ++i) {
    const double middle = (in + out) / 2;
    (holds(middle) ? in : out) = middle;
  }
  return in;
}

/// Returns the position of the maximum of `f` in [low, high], found by golden-section search. `f` must have a
/// single maximum in this range.
double peak_of(double low, double high, const std::function<double(double)>& f) {
  constexpr int kSteps = 45;
  constexpr double kGolden = 0.6180339887498949;
  double c = high - kGolden * (high - low), d = low + kGolden * (high - low);
  double fc = f(c), fd = f(d);
  for (int i = 0; i < kSteps; ++i) {
    if (fc >= fd) {
      high = d;
      d = c;
      fd = fc;
      c = high - kGolden * (high - low);
      fc = f(c);
    } else {
      low = c;
      c = d;
      fc = fd;
      d = low + kGolden * (high - low);
      fd = f(d);
    }
  }
  return (low + high) / 2;
}

/// A ramp fitted to the first `certain` depths; all frames at greater depths are marked. The probability that
/// a frame is marked is slope · (depth − kmin), but at least 0. At the depths to which a ramp is fitted, this
/// probability does not exceed 1. The log-likelihood is concave in the coefficients of the ramp, because it
/// is a sum of concave terms: each term is the logarithm of a linear function of the coefficients, or 0 if
/// the logarithm is positive.
class MarkingRamp {
 public:
  /// Requires that at least one frame at these depths was marked.
  MarkingRamp(std::span<const DepthShare> shares, std::size_t certain) : shares_(shares.first(certain)) {
    first_marked_ = std::find_if(shares_.begin(), shares_.end(), [](const DepthShare& s) {
                      return s.marked != 0;
                    })->depth;
    for (const DepthShare& s : shares_) marked_ += static_cast<double>(s.marked);
    if (first_marked_ <= 0) return;
    kmin = peak_of(0, first_marked_, [this](double at) { return likelihood(at, best_slope(at)); });
    slope = best_slope(kmin);
    best = likelihood(kmin, slope);
  }

  double kmin = 0, slope = 0;
  double best = kNotPossible;

  /// Depth at which the ramp reaches 1.
  double top() const { return kmin + 1 / slope; }
  double at(double depth) const { return slope * (depth - kmin); }
  /// Returns the profile interval of kmin, which covers all ramps whose likelihood is at least `limit`.
  Interval kmin_interval(double limit) const {
    const auto likely = [&](double at) { return likelihood(at, best_slope(at)) >= limit; };
    return {kmin, edge_between(kmin, 0, likely), edge_between(kmin, first_marked_, likely)};
  }
  /// Largest likelihood of all ramps that have the probability `p` at `depth`. `depth` must not be less than
  /// any depth on the ramp.
  double through(double depth, double p) const {
    const auto along = [&](double at) { return likelihood(at, p / (depth - at)); };
    return along(peak_of(0, first_marked_, along));
  }

 private:
  std::span<const DepthShare> above(double depth) const {
    const auto first = std::upper_bound(shares_.begin(), shares_.end(), depth,
                                        [](double d, const DepthShare& s) { return d < s.depth; });
    return shares_.subspan(static_cast<std::size_t>(first - shares_.begin()));
  }
  double likelihood(double at, double s) const;
  double best_slope(double at) const;

  std::span<const DepthShare> shares_;
  double first_marked_ = 0;
  double marked_ = 0;  ///< number of marked frames
};

double MarkingRamp::likelihood(double at, double s) const {
  constexpr double kRounding = 1e-12;
  if (at >= first_marked_) return kNotPossible;
  double sum = 0;
  for (const DepthShare& d : above(at)) {
    const double p = s * (d.depth - at);
    if (p > 1 + kRounding || (p >= 1 && d.marked != d.frames)) return kNotPossible;
    if (d.marked != 0) sum += static_cast<double>(d.marked) * std::log(p);
    if (d.marked != d.frames) sum += static_cast<double>(d.frames - d.marked) * std::log1p(-p);
  }
  return sum;
}

/// Returns the slope with the greatest likelihood for kmin = `at`. Finds the zero of the derivative of the
/// log-likelihood by Newton's method. There is only one zero, because the derivative decreases with the
/// slope.
double MarkingRamp::best_slope(double at) const {
  constexpr int kSteps = 60;
  constexpr double kAccuracy = 1e-10;
  double low = 0, high = 1 / (shares_.back().depth - at), s = high / 2;
  const auto part = above(at);
  for (int i = 0; i < kSteps && high - low > kAccuracy * high; ++i) {
    double sum = marked_ / s, slope_of_sum = -marked_ / (s * s);
    for (const DepthShare& d : part) {
      const double x = d.depth - at, q = x / (1 - s * x);
      const auto unmarked = static_cast<double>(d.frames - d.marked);
      sum -= unmarked * q;
      slope_of_sum -= unmarked * q * q;
    }
    (sum >= 0 ? low : high) = s;
    const double next = s - sum / slope_of_sum;
    if (std::abs(next - s) < kAccuracy * s) break;
    s = next > low && next < high ? next : (low + high) / 2;
  }
  return s;
}

/// Returns the number of depths up to the greatest depth at which a frame was not marked.
std::size_t uncertain_depths(std::span<const DepthShare> shares) {
  std::size_t out = shares.size();
  while (out != 0 && shares[out - 1].marked == shares[out - 1].frames) --out;
  return out;
}

bool any_marked_of(std::span<const DepthShare> shares) {
  return std::any_of(shares.begin(), shares.end(), [](const DepthShare& s) { return s.marked != 0; });
}

/// Computes the profile intervals of a curve with a ramp. More depths on the ramp never increase the
/// likelihood, because each depth adds a factor of at most 1. The smallest possible number of depths is
/// therefore the best.
class MarkingCurveFit {
 public:
  explicit MarkingCurveFit(std::span<const DepthShare> shares)
      : shares_(shares), first_(uncertain_depths(shares)) {
    for (std::size_t n = first_; n <= shares.size(); ++n) {
      ramps_.emplace_back(shares, n);
      if (ramps_.back().best < jump_limit()) {
        ramps_.pop_back();
        break;
      }
    }
  }

  std::optional<MarkingFit> result() const;

 private:
  double limit() const { return ramps_.front().best - kMarkingProfileDrop; }
  double jump_limit() const { return ramps_.front().best - kMarkingJumpDrop; }
  /// If the true ramp is ramps_[r], kmax is greater than below(r), but not greater than above(r).
  double below(std::size_t r) const { return shares_[first_ + r - 1].depth; }
  double above(std::size_t r) const { return shares_[first_ + r].depth; }
  bool ends(std::size_t r) const { return first_ + r < shares_.size(); }
  Interval kmax() const;
  Interval pmax(double kmax) const;
  double pmax_profile(double p) const;

  std::span<const DepthShare> shares_;
  std::size_t first_;
  std::vector<MarkingRamp> ramps_;
};

/// The likelihood is constant while kmax is between the greatest depth of a frame that was not marked and the
/// next depth. The estimate is therefore the middle of the interval.
Interval MarkingCurveFit::kmax() const {
  Interval out{.low = below(0)};
  // All values of kmax up to below(last) are possible, because the last ramp is possible. Only the range of
  // kmax in the last ramp remains to be determined.
  const std::size_t last = ramps_.size() - 1;
  const double end = ends(last) ? above(last) : ramps_[last].top();
  out.high = edge_between(below(last), end, [&](double k) {
    return k <= ramps_[last].top() || ramps_[last].through(k, 1) >= jump_limit();
  });
  out.value = (out.low + out.high) / 2;
  return out;
}

/// Largest likelihood of all curves with this pmax.
double MarkingCurveFit::pmax_profile(double p) const {
  double out = kNotPossible;
  for (std::size_t r = 0; r < ramps_.size(); ++r) {
    const MarkingRamp& ramp = ramps_[r];
    double here = ramp.best;
    if (p < ramp.at(below(r))) {
      here = ramp.through(below(r), p);
    } else if (ends(r) && p > ramp.at(above(r))) {
      here = ramp.through(above(r), p);
    }
    out = std::max(out, here);
  }
  return out;
}

Interval MarkingCurveFit::pmax(double kmax) const {
  Interval out;
  out.value = std::min(1.0, ramps_[0].at(kmax));
  const double least = ramps_.size() == 1 ? limit() : jump_limit();
  const auto likely = [&](double p) { return pmax_profile(p) >= least; };
  out.low = edge_between(out.value, 0, likely);
  out.high = edge_between(out.value, 1, likely);
  return out;
}

std::optional<MarkingFit> MarkingCurveFit::result() const {
  if (ramps_.empty() || !std::isfinite(ramps_[0].best)) return std::nullopt;
  MarkingFit out{.kmin = ramps_[0].kmin_interval(limit()), .ramp = true, .log_likelihood = ramps_[0].best};
  out.reaches_kmax = ends(0);
  if (out.reaches_kmax) {
    out.kmax = kmax();
    out.pmax = pmax(out.kmax.value);
    return out;
  }
  const double deepest = below(0);
  out.kmax = {deepest, deepest, deepest};
  out.pmax.value = std::min(1.0, ramps_[0].at(deepest));
  out.pmax.high = 1;
  out.pmax.low =
      edge_between(out.pmax.value, 0, [&](double p) { return ramps_[0].through(deepest, p) >= limit(); });
  return out;
}

}  // namespace

double MarkingFit::share(double depth) const {
  if (depth >= kmax.value) return 1;
  if (!ramp || depth <= kmin.value) return 0;
  return pmax.value * (depth - kmin.value) / (kmax.value - kmin.value);
}

std::optional<MarkingFit> fit_marking(std::span<const DepthShare> shares) {
  if (!any_marked_of(shares)) return std::nullopt;
  const std::size_t uncertain = uncertain_depths(shares);
  if (any_marked_of(shares.first(uncertain))) return MarkingCurveFit(shares).result();
  MarkingFit out{.reaches_kmax = true};
  out.kmax.low = uncertain == 0 ? 0 : shares[uncertain - 1].depth;
  out.kmax.high = shares[uncertain].depth;
  out.kmax.value = (out.kmax.low + out.kmax.high) / 2;
  out.kmin = out.kmax;
  return out;
}

double marking_likelihood(std::span<const DepthShare> shares) {
  const std::size_t uncertain = uncertain_depths(shares);
  if (!any_marked_of(shares.first(uncertain))) return 0;
  return MarkingRamp(shares, uncertain).best;
}

}  // namespace softfeb::switchtest
