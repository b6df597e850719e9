// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Finds the cell size of a memory. If memory is allocated in cells of c bytes, and the switch stores o bytes
/// in addition to each frame, a frame of L bytes occupies s(L) = c·⌈(L + o)/c⌉ bytes. A queue then holds N(L)
/// = ⌊Q/s(L) + f⌋ frames. For a fixed limit, Q is the limit and f = 0. A dynamic threshold (Choudhury and
/// Hahne, 1998) with the factor α and a memory of B bytes admits frame n if n·s ≤ α(B − (n − 1)s), where s =
/// s(L). In this case, Q = αB/(1 + α) and f = α/(1 + α).
namespace softfeb::switchtest {

/// Number of frames of one length that a queue holds.
struct CellPoint {
  std::uint32_t length = 0;  ///< bytes without FCS
  std::uint64_t low = 0, high = 0;
};

struct CellFit {
  /// True if cells may also be larger than `cell_high`, because cells that are larger than the longest frame
  /// cannot be distinguished from each other.
  bool unlimited = false;
  /// Size of a cell in bytes. The value 1 means that the number of frames did not change in steps; cells of a
  /// few bytes remain possible.
  std::uint32_t cell = 0;
  /// Smallest (`cell_low`) and largest (`cell_high`) cell size that agree with all points.
  std::uint32_t cell_low = 0;
  std::uint32_t cell_high = 0;
  std::uint32_t overhead = 0;
  std::uint32_t overhead_low = 0, overhead_high = 0;  ///< at most kMostCellOverhead
  double queue = 0;                                   ///< Q
  double fraction = 0;                                ///< f

  /// N(L) of the best fit, without rounding.
  double frames(std::uint32_t length) const;
};

/// Largest overhead that the fit tries.
inline constexpr std::uint32_t kMostCellOverhead = 512;

/// Returns s(L), the number of bytes that a frame of `length` bytes occupies, for a cell size and an
/// overhead.
constexpr std::uint32_t cell_bytes_of(std::uint32_t length, std::uint32_t cell, std::uint32_t overhead) {
  return (length + overhead + cell - 1) / cell * cell;
}

/// Finds all c and o for which some Q and f explain all points. The best fit is the pair that leaves the
/// widest range for Q. `points` must be in ascending order of length. Returns std::nullopt if no pair
/// explains the points.
std::optional<CellFit> fit_cells(const std::vector<CellPoint>& points);

/// True if the counts of two points prove that their frames occupy different numbers of bytes.
constexpr bool differ(const CellPoint& a, const CellPoint& b) { return a.low > b.high || b.low > a.high; }

}  // namespace softfeb::switchtest
