// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/share_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

namespace softfeb::switchtest {

namespace {

using Statistic = std::function<double(const SharesByTrial&)>;

/// Returns the 97.5 % quantile of Student's t distribution.
double t_quantile(std::size_t degrees_of_freedom) {
  constexpr double kQuantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  constexpr double kNormal = 1.96;
  return degrees_of_freedom <= std::size(kQuantiles) ? kQuantiles[degrees_of_freedom - 1] : kNormal;
}

/// Returns half the width of the interval of a statistic, by the jackknife: each trial is left out in turn.
double jackknife(const SharesByTrial& trials, const Statistic& statistic) {
  const auto n = static_cast<double>(trials.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    SharesByTrial rest = trials;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    values.push_back(statistic(rest));
  }
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return t_quantile(trials.size() - 1) * std::sqrt((n - 1) / n * sum);
}

/// Returns the relative deviations of a trial's shares from equal shares.
std::vector<double> deviations(const std::vector<double>& frames) {
  const double mean = std::accumulate(frames.begin(), frames.end(), 0.0) / static_cast<double>(frames.size());
  std::vector<double> out;
  for (const double f : frames) out.push_back(f / mean - 1);
  return out;
}

/// Returns the squared coefficient of variation of the shares, estimated by the mean product of deviations in
/// different trials.
double squared_variation(const SharesByTrial& trials) {
  std::vector<double> sums(trials.front().size()), squares(sums.size());
  for (const auto& trial : trials) {
    const auto d = deviations(trial);
    for (std::size_t u = 0; u < d.size(); ++u) {
      sums[u] += d[u];
      squares[u] += d[u] * d[u];
    }
  }
  const auto n = static_cast<double>(trials.size());
  double out = 0;
  for (std::size_t u = 0; u < sums.size(); ++u) out += (sums[u] * sums[u] - squares[u]) / (n * (n - 1));
  return out / static_cast<double>(sums.size());
}

std::vector<double> sum_of(const SharesByTrial& trials) {
  std::vector<double> out(trials.front().size());
  for (const auto& trial : trials)
    for (std::size_t u = 0; u < trial.size(); ++u) out[u] += trial[u];
  return out;
}

double ratio_of(const SharesByTrial& trials) {
  const auto sums = sum_of(trials);
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return *most / std::max(1.0, *least);
}

}  // namespace

Interval long_run_jain(const SharesByTrial& trials) {
  const double variation = squared_variation(trials), error = jackknife(trials, squared_variation);
  const double least = 1 / static_cast<double>(trials.front().size());
  const auto index = [&](double v) { return std::max(least, 1 / (1 + std::max(0.0, v))); };
  return {index(variation), index(variation + error), index(variation - error)};
}

Interval largest_ratio(const SharesByTrial& trials) {
  const double ratio = ratio_of(trials), error = jackknife(trials, ratio_of);
  return {ratio, std::max(1.0, ratio - error), ratio + error};
}

bool has_starved(const SharesByTrial& trials) {
  const auto sums = sum_of(trials);
  return std::find(sums.begin(), sums.end(), 0.0) != sums.end();
}

}  // namespace softfeb::switchtest
