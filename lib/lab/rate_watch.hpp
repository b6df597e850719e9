// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/board.hpp"
#include "lab/prediction.hpp"
#include "lab/sample.hpp"
#include "lab/sawtooth.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::lab {

/// What a congestion control of a board did, against what it must have done.
struct RateFigures {
  std::size_t board = 0;
  std::size_t qp = 0;  ///< the first of those that share it
  std::size_t cnps = 0;
  RateTracking tracking;
  SawtoothFigures sawtooth;
};

/// Watches every congestion control of the firmware's kind: takes what was sent at each sample, has the
/// boards keep what acts on their rates, and in the end replays that.
class RateWatch : public Observer {
 public:
  static constexpr Time kTracked = kMillisecond;     ///< windows of RateTracking
  static constexpr double kSwing = 0.02;             ///< of sawtooth_of()
  static constexpr std::size_t kEvents = 1U << 16;   ///< that are kept of a board
  static constexpr std::size_t kSamples = 1U << 16;  ///< that are kept of a congestion control

  /// Before traffic begins, while nobody else has the boards. `boards` are the first of Sample::endpoints.
  RateWatch(std::vector<engine::Board*> boards, Time interval);

  Time due() const override { return due_; }
  void add(const Sample& sample) override;

  /// When the boards have come to rest and no worker has them. Of a control that more happened to than is
  /// kept, the time until then is looked at.
  std::vector<RateFigures> figures() const;

 private:
  struct Control {
    std::size_t board = 0;
    std::vector<std::size_t> qps;  ///< that share it
    RateOrigin origin;
    std::uint32_t packet = 0;  ///< counted bytes of its largest
    std::vector<SentSample> samples;
  };

  void find_controls(std::size_t board);
  RateFigures figures_of(const Control& control) const;

  std::vector<engine::Board*> boards_;
  Time interval_;
  Time due_;
  std::vector<Control> controls_;
};

/// For the checks rate_tracking and sawtooth: the largest of all; none where there was nothing to judge.
std::optional<double> worst_tracking(const std::vector<RateFigures>& figures);
std::optional<double> worst_sawtooth(const std::vector<RateFigures>& figures);

}  // namespace softfeb::lab
