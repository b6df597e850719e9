// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/path_report.hpp"

#include "switchtest/spread.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::switchtest {

namespace {

constexpr unsigned kIdealHashes = 1'000;

std::uint64_t sum_of_flows(const FlowsByPath& by_path) {
  return std::accumulate(by_path.flows.begin(), by_path.flows.end(), std::uint64_t{0});
}

/// Draws the number of flows on each path, and the range of this number for 95 % of ideal hashes.
void add_flow_chart(Context& ctx, const FlowsByPath& by_path) {
  Curve curve{.name = "flows",
              .label = by_path.field,
              .x_name = "path",
              .x_unit = "",
              .y_name = "flows",
              .y_unit = "",
              .points = {}};
  Curve ideal = curve;
  ideal.label += ", ideal hash";
  const std::uint64_t sum = sum_of_flows(by_path);
  const double paths = static_cast<double>(by_path.flows.size());
  const double mean = static_cast<double>(sum) / paths;
  const Interval share = wilson(static_cast<std::uint64_t>(mean + 0.5), sum);
  for (std::size_t i = 0; i < by_path.flows.size(); ++i) {
    const double x = static_cast<double>(i + 1);
    curve.points.push_back({.x = x, .y = static_cast<double>(by_path.flows[i])});
    ideal.points.push_back({.x = x,
                            .y = mean,
                            .low = share.low * static_cast<double>(sum),
                            .high = share.high * static_cast<double>(sum)});
  }
  ctx.report.curves.push_back(std::move(curve));
  ctx.report.curves.push_back(std::move(ideal));
}

}  // namespace

std::size_t FlowsByPath::used() const {
  return static_cast<std::size_t>(
      std::count_if(flows.begin(), flows.end(), [](std::uint64_t n) { return n != 0; }));
}

void report_spread(Context& ctx, const FlowsByPath& by_path) {
  const std::uint64_t sum = sum_of_flows(by_path);
  const std::map<std::string, std::string> labels{{"field", by_path.field}};
  if (by_path.used() < 2) {
    for (const char* const name : {"mmr", "jain", "p_value"})
      ctx.add_without_value(
             name, Status::kAbsent,
             "all " + std::to_string(sum) + " flows that differ in " + by_path.field + " take the same path")
          .labels = labels;
    return;
  }
  const auto add = [&](const char* name, const Interval& v, Method method) {
    ctx.add(
        {.name = name, .labels = labels, .value = v.value, .low = v.low, .high = v.high, .method = method});
  };
  const auto exact = [](double v) { return Interval{v, v, v}; };
  const Spread spread = spread_of(by_path.flows);
  add("mmr", exact(spread.mmr), Method::kCount);
  add("jain", exact(spread.jain), Method::kCount);
  add("p_value", exact(spread.p_value), Method::kCount);
  const IdealSpread ideal = ideal_spread(sum, by_path.flows.size(), kIdealHashes, ctx.seed());
  add("ideal_mmr", ideal.mmr, Method::kMean);
  add("ideal_jain", ideal.jain, Method::kMean);
  add_flow_chart(ctx, by_path);
}

bool report_fields(Context& ctx, const std::vector<FlowsByPath>& by_field) {
  std::string text;
  for (const FlowsByPath& f : by_field)
    if (f.used() >= 2) text += (text.empty() ? "" : ", ") + f.field;
  if (text.empty()) return false;
  ctx.add({.name = "fields", .method = Method::kOrder, .text = text});
  return true;
}

void report_per_packet(Context& ctx, const Interval& share, Method method) {
  ctx.add(
      {.name = "per_packet", .value = share.value, .low = share.low, .high = share.high, .method = method});
}

void report_path_count(Context& ctx, std::size_t paths, std::size_t unplaced) {
  const auto n = static_cast<double>(paths);
  Figure figure{.name = "paths", .value = n, .low = n, .high = n};
  if (unplaced != 0) {
    figure.high.reset();
    figure.status = Status::kBounded;
    figure.reason = std::to_string(unplaced) + " flows of A share no link with any flow of B that was tried";
  }
  ctx.add(figure);
}

void report_one_path(Context& ctx, const std::string& reason) {
  for (const char* const name : {"fields", "mmr", "jain", "p_value", "per_packet"})
    ctx.add_without_value(name, Status::kAbsent, reason);
}

}  // namespace softfeb::switchtest
