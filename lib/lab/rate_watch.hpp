// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/board.hpp"
#include "lab/prediction.hpp"
#include "lab/sawtooth.hpp"
#include "stats/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::lab {

/// Measured behaviour of one CongestionControl object, compared with the prediction.
struct RateStats {
  std::size_t board = 0;
  std::size_t qp = 0;  ///< the first of the QPs that share the object
  std::size_t cnps = 0;
  RateTracking tracking;
  SawtoothStats sawtooth;
};

/// Observes all CongestionControl objects of configured queue pairs that use the firmware's algorithm.
/// Records the bytes sent at each sample, makes the boards log the events that affect their rates, and
/// replays these events at the end.
class RateWatch : public stats::Observer {
 public:
  static constexpr Time kTracked = kMillisecond;    ///< window length of RateTracking
  static constexpr double kSwing = 0.02;            ///< threshold for sawtooth_of()
  static constexpr std::size_t kEvents = 1U << 16;  ///< maximum number of logged events per board
  /// Maximum number of samples per CongestionControl object.
  static constexpr std::size_t kSamples = 1U << 16;

  /// Call before traffic begins, while no other thread uses the boards. Sample::endpoints must begin with
  /// `boards`, in this order.
  RateWatch(std::vector<engine::Board*> boards, Time interval);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;

  /// Call when the boards are idle and no worker uses them. If the log of events overflowed, only the time up
  /// to the last logged event is evaluated.
  std::vector<RateStats> figures() const;

 private:
  struct Control {
    std::size_t board = 0;
    std::vector<std::size_t> qps;  ///< QPs that share the CongestionControl object
    RateOrigin origin;
    std::uint32_t packet = 0;  ///< size of the largest packet that these QPs send, in bytes from BTH to pad
    std::vector<SentSample> samples;
  };

  void find_controls(std::size_t board);
  RateStats figures_of(const Control& control) const;

  std::vector<engine::Board*> boards_;
  Time interval_;
  Time due_;
  std::vector<Control> controls_;
};

/// Return the values of the checks rate_tracking and sawtooth: the largest values of all CongestionControl
/// objects. Empty if there was nothing to check.
std::optional<double> worst_tracking(const std::vector<RateStats>& figures);
std::optional<double> worst_sawtooth(const std::vector<RateStats>& figures);

}  // namespace softfeb::lab
