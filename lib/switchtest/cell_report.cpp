// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/cell_report.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Widens the range of each point, because counts may be wrong by `slack` frames. With headroom, the frames
/// are in two memories, and each memory leaves less than the space of one frame unused. Both memories
/// together may therefore hold one frame less than their total size permits.
std::vector<CellPoint> loosened(std::vector<CellPoint> points, std::uint64_t slack, bool headroom) {
  for (CellPoint& p : points) {
    p.low -= std::min(p.low, slack);
    p.high += slack + (headroom ? 1 : 0);
  }
  return points;
}

std::vector<CellPoint> only(const LengthRange& range, std::vector<CellPoint> points) {
  std::erase_if(points, [&](const CellPoint& p) { return p.length < range.first || p.length > range.last; });
  return points;
}

/// Fits all points with increasing slack. If this gives no fit, fits only the points of the scanned lengths.
/// On a real switch, counts may vary by a frame or two between trials, and other limits may apply to very
/// short frames.
std::optional<CellFit> best_fit(const std::vector<CellPoint>& points, const LengthRange& scanned,
                                bool headroom) {
  constexpr std::uint64_t kMostSlack = 2;
  for (const auto& some : {points, only(scanned, points)})
    for (std::uint64_t slack = 0; slack <= kMostSlack; ++slack)
      if (auto fit = fit_cells(loosened(some, slack, headroom))) return fit;
  return std::nullopt;
}

std::string words(std::uint32_t low, std::uint32_t high) {
  return std::to_string(low) + " to " + std::to_string(high) + " bytes";
}

Figure cell_figure(const CellFit& fit) {
  // The lengths of RoCE frames differ by multiples of 4 bytes, so cells smaller than kSmooth are not visible.
  // If the largest possible cell exceeds the smallest by more than the factor kSharp, no size is reported.
  constexpr std::uint32_t kSmooth = 8;
  constexpr double kSharp = 1.25;
  Figure out{.name = "cell_bytes", .unit = "B", .method = Method::kFit};
  if (fit.unlimited && fit.cell_low <= kSmooth) {
    out.status = Status::kUnresolvable;
    out.reason = "the queue holds too few frames to see cells";
  } else if (fit.unlimited) {
    out.value = out.low = fit.cell_low;
    out.status = Status::kBounded;
    out.reason = "no frame that the rig can send is longer than a cell";
  } else if (fit.cell == 1 && fit.cell_high > kSmooth) {
    out.value = out.high = fit.cell_high;
    out.status = Status::kBounded;
    out.reason = "the queue holds too few frames to see smaller cells";
  } else if (fit.cell != 1 && fit.cell_high > kSharp * fit.cell_low) {
    out.status = Status::kUnresolvable;
    out.reason =
        "the queue holds too few frames: cells of " + words(fit.cell_low, fit.cell_high) + " are possible";
  } else {
    out.value = fit.cell;
    out.low = fit.cell_low;
    out.high = fit.cell_high;
  }
  return out;
}

Figure overhead_figure(const CellFit& fit, const Figure& cell) {
  Figure out{.name = "overhead_bytes", .unit = "B", .method = Method::kFit};
  const bool any = fit.overhead_high == kMostCellOverhead;
  if (cell.status != Status::kMeasured || (any && fit.overhead_low == 0)) {
    out.status = Status::kUnresolvable;
    out.reason = cell.status == Status::kMeasured ? "the queue holds too few frames to see overhead"
                                                  : "the size of cells is not known";
    return out;
  }
  out.value = fit.overhead;
  out.low = fit.overhead_low;
  out.high = fit.overhead_high;
  if (any) {
    out.value = out.low;
    out.high.reset();
    out.status = Status::kBounded;
    out.reason = "no greater overhead was tried";
  }
  return out;
}

void draw_staircase(Context& ctx, const std::vector<CellPoint>& points, const std::optional<CellFit>& fit) {
  Curve held{.name = "cells",
             .label = "measured",
             .x_name = "frame",
             .x_unit = "B",
             .y_name = "frames in the queue",
             .y_unit = "",
             .points = {}};
  Curve fitted = held;
  fitted.label = "fit";
  for (const CellPoint& p : points) {
    const auto low = static_cast<double>(p.low), high = static_cast<double>(p.high);
    const double x = p.length;
    held.points.push_back({x, (low + high) / 2, low, high});
    if (fit) fitted.points.push_back({.x = x, .y = fit->frames(p.length)});
  }
  ctx.report.curves.push_back(std::move(held));
  if (fit) ctx.report.curves.push_back(std::move(fitted));
}

}  // namespace

void report_cells(Context& ctx, const std::vector<CellPoint>& points, const LengthRange& scanned,
                  bool headroom) {
  const auto fit = best_fit(points, scanned, headroom);
  draw_staircase(ctx, only(scanned, points), fit);
  if (!fit) {
    for (const char* name : {"cell_bytes", "overhead_bytes"})
      ctx.add_without_value(name, Status::kUnresolvable,
                            "what the queue held of frames of different lengths fits no size of cells");
    return;
  }
  Figure cell = cell_figure(*fit);
  Figure overhead = overhead_figure(*fit, cell);
  ctx.add(std::move(cell));
  ctx.add(std::move(overhead));
}

}  // namespace softfeb::switchtest
