// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"

#include <cstddef>
#include <optional>

namespace softfeb::stats {

/// Mean of a quantity over the congestion controls that have it. Each algorithm has different quantities:
/// DCQCN has alpha, TIMELY has an RTT, and Swift has an RTT, a window and a target delay.
struct ControlMean {
  std::size_t controls = 0;  ///< number of congestion controls that have the quantity
  double sum = 0;

  void add(const std::optional<double>& value);
  /// Empty if no control has the quantity.
  std::optional<double> mean() const;
  ControlMean& operator+=(const ControlMean& o);
};

/// State of one congestion control, or the sum over several. A congestion control that QPs share (`scope:
/// board`, `scope: ip_pair`) counts once.
struct ControlState {
  std::size_t controls = 0;       ///< number of congestion controls; if 0, all other members are 0
  double rc = 0, rt = 0;          ///< sums over the controls, in bytes per second
  double rc_min = 0, rc_max = 0;  ///< lowest and highest rc of the controls, in bytes per second
  ControlMean alpha;              ///< from 0 to 1
  ControlMean rtt;                ///< last RTT sample, seconds
  ControlMean target_delay;       ///< seconds
  ControlMean window;             ///< bytes, counted as in SendCounts::counted_bytes
  ControlMean utilization;        ///< normalized load of the bottleneck
  ControlMean granted;            ///< packets that the receiver's grants allow to be sent

  ControlState& operator+=(const ControlState& o);
};

/// Alpha of DCQCN, 0…1; empty for an algorithm without alpha.
std::optional<double> alpha_of(const congestion::CongestionState& state);
/// State of the QP's congestion control. All members are 0 if the QP does not exist or has no congestion
/// control.
ControlState control_of(const engine::SendQpSnapshot& qp);

}  // namespace softfeb::stats
