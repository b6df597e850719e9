// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"

#include <cstddef>

namespace softfeb::stats {

/// Sums over the congestion controls of a board. QPs may share one (`scope: board`, `scope: ip_pair`).
struct BoardRates {
  std::size_t controls = 0;
  double rc = 0;     ///< bytes per second
  double rt = 0;     ///< bytes per second
  double alpha = 0;  ///< sum of values 0…1
};

/// Counts each congestion control of `board` once. `own(i)` tells whether the i-th of the first `configured`
/// QPs is the first to use its congestion control (see own_rates()). The QPs of the metadata bus follow and
/// never share one.
template <typename Own>
BoardRates board_rates(const engine::EndpointSnapshot& board, std::size_t configured, Own own) {
  BoardRates sum;
  for (std::size_t i = 0; i < board.send_qps.size(); ++i) {
    const engine::SendQpSnapshot& qp = board.send_qps[i];
    if (!qp.exists || !qp.congestion || (i < configured && !own(i))) continue;
    ++sum.controls;
    sum.rc += static_cast<double>(qp.congestion->rate);
    sum.rt += static_cast<double>(qp.congestion->target_rate);
    sum.alpha += static_cast<double>(qp.congestion->alpha) / qp.congestion->alpha_one;
  }
  return sum;
}

}  // namespace softfeb::stats
