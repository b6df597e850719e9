// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "lab/prediction.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::lab {

/// A rate over some stretch of time.
struct RatePoint {
  Time at = 0;  ///< middle of the stretch
  double rate = 0;
};

/// A falling and rising rate, on average.
struct Sawtooth {
  std::size_t teeth = 0;  ///< falls that were complete
  Time period = 0;        ///< between two peaks; 0 with fewer than two
  double depth = 0;       ///< of a peak, what is lost from it to the trough behind it
};

/// Falls of at least `swing` of a peak that rises of at least `swing` follow; smaller ones belong to the
/// teeth they are part of.
Sawtooth sawtooth_of(std::span<const RatePoint> points, double swing);

/// The teeth that were sent, and those that the reaction point's parameters and the CNPs make.
struct SawtoothFigures {
  Sawtooth sent, predicted;
  /// The larger of the relative differences of period and depth; none with fewer than two teeth on either
  /// side.
  std::optional<double> difference() const;
};

/// Sent: bytes and credit between samples, where credit held the sender back; predicted: ∫Rc over the same
/// stretches.
SawtoothFigures compare_sawtooth(const RateOrigin& origin, std::span<const engine::CongestionEvent> events,
                                 std::span<const SentSample> samples, std::uint32_t packet, double swing);

/// The sawtooth that CNPs at equal distances come to, by the formulas of the algorithm rather than by its
/// clockwork: a cut of Rc by alpha / 2^DecGain, then an increase every RateIncInterval, with alpha decaying
/// by AlphaG every AlphaUpdInterval and growing once a period.
struct SteadySawtooth {
  double alpha = 0;                       ///< at the cut, of 1
  double depth = 0;                       ///< of the peak
  double peak = 0, trough = 0, mean = 0;  ///< bytes per second; the peak is the line rate where it gets there
  unsigned increases = 0;                 ///< between two cuts
  /// From the cut until Rc is back at the peak within 1 %, if no CNP came; none: never.
  std::optional<Time> recovery;
};

SteadySawtooth predict_steady(const RateOrigin& origin, Time period);

}  // namespace softfeb::lab
