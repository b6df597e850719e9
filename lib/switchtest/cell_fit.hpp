// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Memory that is allocated in cells of c bytes: a frame of L bytes, for which the switch stores o bytes
/// more, occupies s(L) = c·⌈(L + o)/c⌉ bytes. A queue then holds N(L) = ⌊Q/s(L) + f⌋ frames. For a fixed
/// limit, Q is the limit and f = 0. A dynamic threshold (Choudhury and Hahne, 1998) takes frame n if n·s ≤
/// α(B − (n − 1)s), so Q = αB/(1 + α) and f = α/(1 + α).
namespace softfeb::switchtest {

/// Frames of one length that a queue holds.
struct CellPoint {
  std::uint32_t length = 0;  ///< bytes without FCS
  std::uint64_t low = 0, high = 0;
};

struct CellFit {
  /// Cells larger than the longest frame cannot be told apart.
  bool unlimited = false;      ///< `cell_high` is as large as that
  std::uint32_t cell = 0;      ///< 1: no steps are seen, even if sizes of a few bytes are possible
  std::uint32_t cell_low = 0;  ///< the smallest and the largest compatible with the points
  std::uint32_t cell_high = 0;
  std::uint32_t overhead = 0;
  std::uint32_t overhead_low = 0, overhead_high = 0;  ///< at most kMostCellOverhead
  double queue = 0;                                   ///< Q
  double fraction = 0;                                ///< f

  /// N(L) of the best fit, without rounding.
  double frames(std::uint32_t length) const;
};

/// Greatest overhead that is tried.
inline constexpr std::uint32_t kMostCellOverhead = 512;

/// Bytes that a frame occupies.
constexpr std::uint32_t cell_bytes_of(std::uint32_t length, std::uint32_t cell, std::uint32_t overhead) {
  return (length + overhead + cell - 1) / cell * cell;
}

/// Finds all c and o with which some Q and f explain all points; the best fit is the one that leaves Q the
/// widest range. `points` must be in ascending order of length. nullopt: there are none.
std::optional<CellFit> fit_cells(const std::vector<CellPoint>& points);

/// True if two points cannot be of frames that occupy the same number of bytes.
constexpr bool differ(const CellPoint& a, const CellPoint& b) { return a.low > b.high || b.low > a.high; }

}  // namespace softfeb::switchtest
