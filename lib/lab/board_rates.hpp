// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"

#include <cstddef>

namespace softfeb::lab {

/// Sums over the congestion controls of a board. QPs may share one (`scope: board`, `scope: ip_pair`).
struct BoardRates {
  std::size_t controls = 0;
  double rc = 0;     ///< bytes per second
  double rt = 0;     ///< bytes per second
  double alpha = 0;  ///< each 0…1
};

/// Counts each congestion control of `board` once. `own(i)` says of the i-th of the first `configured` QPs
/// whether no QP before it has the same one (own_rates()). The metadata bus's QPs, which follow, share none.
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

}  // namespace softfeb::lab
