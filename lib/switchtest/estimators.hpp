// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

/// Statistical estimates with intervals (doc/switch-test.md). The confidence level of all confidence
/// intervals is 95 %. All functions are pure.
namespace softfeb::switchtest {

struct Interval {
  double value = 0, low = 0, high = 0;
};

/// Combines several measurements of one quantity, each of which is an interval.
class CommonInterval {
 public:
  void add(double low, double high);
  bool empty() const { return least_ > most_; }
  /// True if all intervals have at least one value in common.
  bool agree() const { return low_ <= high_; }
  /// Returns the intersection of all intervals or, if they do not agree, the range that contains all of them.
  /// Requires that empty() is false.
  Interval result() const;

 private:
  /// The intersection: largest lower bound, smallest upper bound.
  double low_ = -std::numeric_limits<double>::infinity(), high_ = std::numeric_limits<double>::infinity();
  /// The union: smallest lower bound, largest upper bound.
  double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
};

/// Returns the Wilson score interval of the share `hits`/`n`. For n = 0, the interval is 0 to 1.
Interval wilson(std::uint64_t hits, std::uint64_t n);
/// Returns the upper limit of the loss ratio if none of n frames was lost, which is 3/n.
double loss_limit(std::uint64_t n);
/// Jain's fairness index; 1 for an empty or all-zero list.
double jain(std::span<const double> shares);
/// Returns the median of the values, with the smallest and the largest as the interval. Requires at least one
/// value.
Interval median(std::vector<double> values);

/// Straight line y = intercept + slope · x, fitted to points, with confidence intervals. The fit requires at
/// least two different values of x.
struct Line {
  double intercept = 0, slope = 0;
  double intercept_error = 0, slope_error = 0;  ///< 95 % half-widths; 0 for two points
};
Line fit_line(std::span<const double> x, std::span<const double> y);

/// Finds the maximum of a likelihood over one parameter in [low, high] by golden-section search, and the
/// profile interval in which twice the log-likelihood falls by at most 3.841 (95 % of chi-square with one
/// degree of freedom).
Interval maximize(const std::function<double(double)>& log_likelihood, double low, double high);

/// p-value of a chi-square statistic.
double chi_square_p(double statistic, unsigned degrees_of_freedom);

}  // namespace softfeb::switchtest
