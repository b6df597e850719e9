// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/cell_fit.hpp"

#include <algorithm>
#include <limits>

namespace softfeb::switchtest {

namespace {

/// The possible range of Q (cell_fit.hpp) for one cell size and overhead.
struct QueueRange {
  double fraction = 0;  ///< the f for which the range is widest
  double low = 0, high = 0;

  /// Positive if some Q explains all points.
  double room() const { return (high - low) / high; }
};

/// Searches for Q and f (cell_fit.hpp). For each point, s·(low − f) ≤ Q < s·(high + 1 − f) must hold.
class QueueSearch {
 public:
  QueueSearch(const std::vector<CellPoint>& points, std::uint32_t cell, std::uint32_t overhead)
      : points_(points), cell_(cell), overhead_(overhead) {}

  /// Returns the range of Q, or std::nullopt if no Q and f explain all points.
  std::optional<QueueRange> find() const {
    if (!possible()) return std::nullopt;
    // The width of the range is a concave function of f, so a ternary search finds its maximum. If all frames
    // occupy the same memory, the width is constant, and no search is necessary.
    double low = 0, high = 1;
    const int steps = occupied(points_.front()) == occupied(points_.back()) ? 0 : 40;
    for (int i = 0; i < steps; ++i) {
      const double third = (high - low) / 3;
      if (at(low + third).room() < at(high - third).room()) {
        low += third;
      } else {
        high -= third;
      }
    }
    const QueueRange out = at((low + high) / 2);
    return out.room() > 0 ? std::optional(out) : std::nullopt;
  }

 private:
  double occupied(const CellPoint& p) const { return cell_bytes_of(p.length, cell_, overhead_); }

  QueueRange at(double fraction) const {
    QueueRange out{fraction, 0, std::numeric_limits<double>::max()};
    for (const CellPoint& p : points_) {
      const double s = occupied(p);
      out.low = std::max(out.low, s * (static_cast<double>(p.low) - fraction));
      out.high = std::min(out.high, s * (static_cast<double>(p.high) + 1 - fraction));
    }
    return out;
  }

  /// Checks quickly whether the cell size and the overhead are possible. The only assumption about f is that
  /// it lies between 0 and 1. Returns false for most impossible combinations. Begins with the last point and
  /// the first point, because these two restrict Q most.
  bool possible() const {
    double low = 0, high = std::numeric_limits<double>::max();
    const auto narrow = [&](const CellPoint& p) {
      const double s = occupied(p);
      low = std::max(low, s * (static_cast<double>(p.low) - 1));
      high = std::min(high, s * (static_cast<double>(p.high) + 1));
      return low < high;
    };
    return narrow(points_.back()) && std::all_of(points_.begin(), points_.end(), narrow);
  }

  const std::vector<CellPoint>& points_;
  std::uint32_t cell_, overhead_;
};

/// Two neighbouring lengths between which the number of cells per frame changes.
struct Step {
  std::uint32_t before = 0, after = 0;
};

/// Returns the step whose two lengths are closest to each other.
std::optional<Step> sharpest_step(const std::vector<CellPoint>& points) {
  std::optional<Step> out;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!differ(points[i - 1], points[i])) continue;
    const Step step{points[i - 1].length, points[i].length};
    if (!out || step.after - step.before < out->after - out->before) out = step;
  }
  return out;
}

/// Returns the overheads for which a frame before the step occupies fewer cells than a frame after the step.
/// Without a step, returns all overheads.
std::vector<std::uint32_t> overheads(const std::optional<Step>& step, std::uint32_t cell) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t o = 0; o <= kMostCellOverhead; ++o) {
    if (!step || cell_bytes_of(step->before, cell, o) != cell_bytes_of(step->after, cell, o)) {
      out.push_back(o);
      continue;
    }
    // Skip to the next overhead for which the frame after the step needs one more cell.
    o += cell_bytes_of(step->after, cell, o) - (step->after + o);
  }
  return out;
}

}  // namespace

double CellFit::frames(std::uint32_t length) const {
  return queue / cell_bytes_of(length, cell, overhead) + fraction;
}

std::optional<CellFit> fit_cells(const std::vector<CellPoint>& points) {
  if (points.empty()) return std::nullopt;
  // Every frame fits into a single cell of this size. Larger cells would give the same counts.
  const std::uint32_t largest = points.back().length + kMostCellOverhead + 1;
  const auto step = sharpest_step(points);
  std::optional<CellFit> out;
  double best = 0;
  for (std::uint32_t cell = 1; cell <= largest; ++cell) {
    for (const std::uint32_t o : overheads(step, cell)) {
      const auto range = QueueSearch(points, cell, o).find();
      if (!range) continue;
      if (!out) out = CellFit{.cell_low = cell, .overhead_low = o};
      out->cell_high = cell;
      out->overhead_low = std::min(out->overhead_low, o);
      out->overhead_high = std::max(out->overhead_high, o);
      // If the counts show no steps, all small cell sizes fit equally well. The result is then 1, which means
      // that no cells were seen.
      if (range->room() <= best || (out->cell == 1 && cell != 1)) continue;
      best = range->room();
      out->cell = cell;
      out->overhead = o;
      out->queue = (range->low + range->high) / 2;
      out->fraction = range->fraction;
    }
  }
  if (out) out->unlimited = out->cell_high == largest;
  return out;
}

}  // namespace softfeb::switchtest
