// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_report.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr const char* kMarkingNumbers[] = {"kmin_bytes", "kmax_bytes", "pmax"};
constexpr const char* kMarkingWords[] = {"where", "averaged", "scope"};

Figure marking_figure(const char* name, const Interval& interval, const char* unit, double scale = 1) {
  return {.name = name,
          .value = scale * interval.value,
          .low = scale * interval.low,
          .high = scale * interval.high,
          .unit = unit,
          .method = Method::kFit};
}

void add_marking_word(Context& ctx, const char* name, std::string word, const char* why_not) {
  if (word.empty()) {
    ctx.add_without_value(name, Status::kUnresolvable, why_not);
  } else {
    ctx.add({.name = name, .method = Method::kOrder, .text = std::move(word)});
  }
}

/// Returns the figure with only its lower bound.
Figure marking_at_least(Figure figure, const char* reason) {
  figure.value.reset();
  figure.high.reset();
  figure.status = Status::kBounded;
  figure.reason = reason;
  return figure;
}

void add_marking_curve(Context& ctx, const MarkingFit& fit, const std::string& no_pmax) {
  constexpr const char* kTooShort =
      "the longest train that the queue holds or the rig can send ends before all frames are marked";
  ctx.add(marking_figure("kmin_bytes", fit.kmin, "B"));
  const Figure kmax = marking_figure("kmax_bytes", fit.kmax, "B"),
               pmax = marking_figure("pmax", fit.pmax, "%", 100);
  ctx.add(fit.reaches_kmax ? kmax : marking_at_least(kmax, kTooShort));
  if (!fit.ramp) {
    ctx.add_without_value("pmax", Status::kUnresolvable,
                          "no frame below kmax was marked, so the two thresholds are equal within a frame");
    return;
  }
  if (!no_pmax.empty()) {
    ctx.add_without_value("pmax", Status::kUnresolvable, no_pmax);
    return;
  }
  ctx.add(fit.reaches_kmax ? pmax : marking_at_least(pmax, kTooShort));
}

/// Returns a curve of the share of marked frames by depth. Combines neighbouring depths if there are many.
Curve measured_marking(std::span<const DepthShare> shares) {
  constexpr std::size_t kMostPoints = 80;
  Curve out{.name = "marking",
            .label = "measured",
            .x_name = "queue length",
            .x_unit = "B",
            .y_name = "share of marked frames",
            .y_unit = ""};
  const std::size_t each = shares.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < shares.size(); i += each) {
    const auto part = shares.subspan(i, std::min(each, shares.size() - i));
    std::uint64_t frames = 0, marked = 0;
    double depth = 0;
    for (const DepthShare& s : part) {
      frames += s.frames;
      marked += s.marked;
      depth += s.depth / static_cast<double>(part.size());
    }
    const Interval share = wilson(marked, frames);
    out.points.push_back({depth, share.value, share.low, share.high});
  }
  return out;
}

Curve fitted_marking(const MarkingFit& fit, double deepest) {
  Curve out{.name = "marking",
            .label = "fit",
            .x_name = "queue length",
            .x_unit = "B",
            .y_name = "share of marked frames",
            .y_unit = ""};
  out.points = {{0, 0}, {fit.kmin.value, 0}};
  if (fit.ramp) out.points.push_back({fit.kmax.value, fit.pmax.value});
  if (!fit.reaches_kmax) return out;
  out.points.push_back({fit.kmax.value, 1});
  out.points.push_back({std::max(deepest, fit.kmax.value), 1});
  return out;
}

}  // namespace

void report_marking(Context& ctx, const MarkingCounts& counts, std::uint32_t length,
                    const MarkingResult& result) {
  if (result.fit) {
    add_marking_curve(ctx, *result.fit, result.no_pmax);
  } else {
    for (const char* name : kMarkingNumbers)
      ctx.add_without_value(name, Status::kUnresolvable, result.no_fit);
  }
  const char* const at = result.at == MarkedAt::kEnqueue ? "enqueue" : "dequeue";
  add_marking_word(ctx, "where", result.fit && result.at_is_known ? at : "",
                   result.fit ? "both places explain the marks equally well" : result.no_fit.c_str());
  add_marking_word(ctx, "averaged", result.averaged ? "yes" : "no", "");
  if (result.averaged && result.fit) ctx.add(marking_figure("average_weight", result.weight, ""));
  add_marking_word(ctx, "scope", result.scope, result.no_scope.c_str());
  if (!result.fit) return;
  if (!result.averaged) {
    const auto shares = counts.shares(result.at, length);
    ctx.report.curves.push_back(measured_marking(shares));
  }
  ctx.report.curves.push_back(fitted_marking(*result.fit, static_cast<double>(counts.deepest()) * length));
  if (result.fit->reaches_kmax)
    ctx.findings.marking = Findings::Marking{.kmin = result.fit->kmin.value,
                                             .kmax = result.fit->kmax.value,
                                             .pmax = result.fit->ramp ? result.fit->pmax.value : 1,
                                             .at_dequeue = result.at == MarkedAt::kDequeue};
}

void report_no_marks(Context& ctx, const MarkingCounts& counts, std::uint32_t length, std::uint64_t fill) {
  const std::string reason = "none of " + std::to_string(counts.frames()) +
                             " frames was marked, in a queue of up to " +
                             std::to_string(std::uint64_t{counts.deepest()} * length) + " bytes, or after " +
                             std::to_string(fill) + " frames had been sent into the queue";
  for (const char* name : kMarkingNumbers) ctx.add_without_value(name, Status::kAbsent, reason);
  for (const char* name : kMarkingWords) ctx.add_without_value(name, Status::kAbsent, reason);
}

}  // namespace softfeb::switchtest
