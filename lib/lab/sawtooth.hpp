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

/// Rate averaged over an interval.
struct RatePoint {
  Time at = 0;  ///< middle of the interval
  double rate = 0;
};

/// Average properties of a sawtooth-shaped rate.
struct Sawtooth {
  std::size_t teeth = 0;  ///< number of completed falls
  Time period = 0;        ///< time between two peaks; 0 with fewer than two
  double depth = 0;       ///< relative drop from a peak to the next trough
};

/// Finds the teeth of a rate. A tooth is a fall by at least the fraction `swing` of its peak, followed by a
/// rise of at least `swing`. Smaller changes are part of the surrounding tooth.
Sawtooth sawtooth_of(std::span<const RatePoint> points, double swing);

/// The measured sawtooth, and the one predicted from the reaction point's parameters and the CNPs.
struct SawtoothStats {
  Sawtooth sent, predicted;
  /// Returns the larger of the relative differences in period and depth; empty if either sawtooth has fewer
  /// than two teeth.
  std::optional<double> difference() const;
};

/// Compares the measured sawtooth with the predicted one, over those intervals between two samples during
/// which only credit limited the sender. The measured rate is computed from the bytes sent plus the change of
/// credit, the predicted rate from ∫Rc.
SawtoothStats compare_sawtooth(const RateOrigin& origin, std::span<const engine::CongestionEvent> events,
                               std::span<const SentSample> samples, std::uint32_t packet, double swing);

/// The sawtooth for CNPs at equal intervals, computed from the algorithm's formulas instead of a
/// clock-exact replay. A CNP cuts Rc by alpha / 2^DecGain; Rc then increases every RateIncInterval. Alpha
/// decays by AlphaG every AlphaUpdInterval and grows once per period.
struct SteadySawtooth {
  double alpha = 0;                       ///< alpha at the cut, 0…1
  double depth = 0;                       ///< drop of Rc at a cut, relative to the peak
  double peak = 0, trough = 0, mean = 0;  ///< bytes per second; the peak is at most the line rate
  unsigned increases = 0;                 ///< number of increases between two cuts
  /// Time from the cut until Rc is within 1 % of the peak if no further CNP arrives. Empty if Rc never comes
  /// that close.
  std::optional<Time> recovery;
};

SteadySawtooth predict_steady(const RateOrigin& origin, Time period);

}  // namespace softfeb::lab
