// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/scheduler_report.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Returns the DSCPs of a level, such as "0, 8, 16".
std::string members_of(const QueueLevel& level, const std::vector<std::uint8_t>& dscps) {
  std::vector<std::uint8_t> members;
  for (const auto& m : level.members) members.push_back(dscps[m.queue]);
  std::sort(members.begin(), members.end());
  std::string out;
  for (const std::uint8_t dscp : members) out += (out.empty() ? "" : ", ") + std::to_string(dscp);
  return out;
}

Figure weight_of(const Interval& weight, bool alone) {
  Figure out{.name = "weights", .method = Method::kOrder};
  if (alone) {
    out.status = Status::kAbsent;
    out.reason = "this queue has strict priority";
    return out;
  }
  out.value = weight.value;
  out.low = weight.low;
  out.high = weight.high;
  return out;
}

void add_limit(Context& ctx, const Interval& rate, std::map<std::string, std::string> labels) {
  constexpr double kGigabits = 8e-9;  // number of gigabits in a byte
  ctx.add({.name = "shaper_gbps",
           .labels = std::move(labels),
           .value = rate.value * kGigabits,
           .low = rate.low * kGigabits,
           .high = rate.high * kGigabits,
           .unit = "Gb/s",
           .method = Method::kMean});
}

}  // namespace

void report_order(Context& ctx, const QueueHierarchy& found, const std::vector<std::uint8_t>& dscps,
                  const QueueFailures& failures) {
  Figure figure{.name = "order", .method = Method::kOrder};
  for (const QueueLevel& level : found.levels)
    figure.text += (figure.text.empty() ? "" : " > ") + members_of(level, dscps);
  if (!found.unplaced.empty()) {
    const std::size_t queue = found.unplaced.front();
    figure.status = found.levels.size() > 1 ? Status::kBounded : Status::kUnresolvable;
    figure.reason =
        "the place of queue " + std::to_string(dscps[queue]) + " is not known: " + failures.at(queue);
  }
  ctx.add(figure);
}

void report_weights(Context& ctx, const QueueHierarchy& found, const std::vector<std::uint8_t>& dscps,
                    const QueueFailures& failures) {
  std::map<std::size_t, Figure> figures;  // figures by queue
  for (const QueueLevel& level : found.levels) {
    const auto weights = normalized_weights(level);
    for (std::size_t i = 0; i < weights.size(); ++i)
      figures[level.members[i].queue] = weight_of(weights[i], weights.size() == 1);
  }
  for (const std::size_t q : found.unplaced)
    figures[q] = {.name = "weights", .status = Status::kUnresolvable, .reason = failures.at(q)};
  for (auto& [queue, figure] : figures) {
    figure.labels = {{"queue", std::to_string(dscps[queue])}};
    ctx.add(figure);
  }
}

void report_no_mode(Context& ctx, Status status, const std::string& reason) {
  for (const char* name : {"mode", "overhead_bytes"}) ctx.add_without_value(name, status, reason);
}

void report_mode_of(Context& ctx, const SizeCounts& counts, const Interval& ratio) {
  constexpr double kMostOverhead = 64;
  const Interval frames = frame_ratio(counts.frames[1], counts.frames[0]);
  if (frames.high >= ratio.low && frames.low <= ratio.high) {
    ctx.add({.name = "mode", .method = Method::kOrder, .text = "WRR"});
    ctx.add_without_value("overhead_bytes", Status::kAbsent, "the weights count frames");
    return;
  }
  const Interval overhead = accounted_overhead(counts, ratio);
  if (overhead.high < -kMostOverhead || overhead.low > kMostOverhead)
    return report_no_mode(ctx, Status::kUnresolvable,
                          "the shares of long and short frames fit neither WRR nor DWRR");
  ctx.add({.name = "mode", .method = Method::kOrder, .text = "DWRR"});
  ctx.add({.name = "overhead_bytes",
           .value = overhead.value,
           .low = overhead.low,
           .high = overhead.high,
           .unit = "B",
           .method = Method::kOrder});
}

void report_limits(Context& ctx, const std::optional<Interval>& of_port,
                   const std::vector<std::optional<Interval>>& of_queues, bool uncertain,
                   const std::vector<std::uint8_t>& dscps) {
  bool any = of_port.has_value();
  if (of_port) add_limit(ctx, *of_port, {});
  for (std::size_t q = 0; q < of_queues.size(); ++q) {
    if (!of_queues[q]) continue;
    any = true;
    add_limit(ctx, *of_queues[q], {{"queue", std::to_string(dscps[q])}});
  }
  if (!any && uncertain)
    ctx.add_without_value("shaper_gbps", Status::kInconclusive,
                          "the rig stood still for too long to see a limit");
  else if (!any)
    ctx.add_without_value("shaper_gbps", Status::kAbsent, "each queue can use the whole rate of the port");
}

}  // namespace softfeb::switchtest
