// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

using Json = nlohmann::ordered_json;

/// Returns a quantile of sorted values; 0 if there are none.
inline double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
}

/// Returns min, p50, p90, p95, p99, p99.9, max and the number of values.
inline Json distribution(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {{"count", values.size()},          {"min", quantile(values, 0)},    {"p50", quantile(values, 0.5)},
          {"p90", quantile(values, 0.9)},    {"p95", quantile(values, 0.95)}, {"p99", quantile(values, 0.99)},
          {"p999", quantile(values, 0.999)}, {"max", quantile(values, 1)}};
}

/// Summarises deviations from an expected value, in ns: for each width w, the share of the deviations within
/// ±w; also the distribution of the magnitudes of the deviations.
inline Json deviations(const std::vector<double>& ns) {
  Json within;
  for (const int width : {64, 128, 256, 512, 1024, 4096, 16'384, 65'536}) {
    const auto n = std::count_if(ns.begin(), ns.end(), [width](double d) { return std::abs(d) <= width; });
    within["within_" + std::to_string(width) + "_ns"] =
        ns.empty() ? 0 : static_cast<double>(n) / static_cast<double>(ns.size());
  }
  std::vector<double> sizes;
  sizes.reserve(ns.size());
  for (const double d : ns) sizes.push_back(std::abs(d));
  within["size_ns"] = distribution(std::move(sizes));
  return within;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

/// Returns an object with median_NAME, min_NAME, max_NAME, and the values of all runs in order.
inline Json figures(const std::string& name, const std::vector<double>& runs) {
  return {{"median_" + name, median(runs)},
          {"min_" + name, *std::min_element(runs.begin(), runs.end())},
          {"max_" + name, *std::max_element(runs.begin(), runs.end())},
          {"runs", runs}};
}

/// Returns a/b for each run, in the order of the runs.
inline std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] / b[i]);
  return out;
}

/// Merges the results of all runs into one, in which each number is replaced by {"median", "min", "max"}.
inline Json summary(const std::vector<Json>& runs) {
  if (runs.front().is_number()) {
    std::vector<double> values;
    for (const Json& r : runs) values.push_back(r.get<double>());
    std::sort(values.begin(), values.end());
    return {{"median", values[values.size() / 2]}, {"min", values.front()}, {"max", values.back()}};
  }
  Json out = Json::object();
  for (const auto& [key, value] : runs.front().items()) {
    if (!value.is_number() && !value.is_object()) continue;
    std::vector<Json> parts;
    for (const Json& r : runs) parts.push_back(r.at(key));
    out[key] = summary(parts);
  }
  return out;
}

}  // namespace softfeb::bench
